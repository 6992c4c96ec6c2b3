"""People join a club: those whom it concerns are told, and can answer with a line."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.clubs.selectors import membership
from gemserver.matches.actions.clubs.join_club import (
    MOST_INVITED_A_DAY,
    invite_member,
    join_club,
    take_back_request,
    turn_down,
)
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.refusal import Refused
from gemserver.notify.content import announce
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user
from tests.clubs.people import make_club
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> User:
    return make_user("olga")


@pytest.fixture
def ivo() -> User:
    return make_user("ivo")


def test_who_is_invited_is_told_and_joins_by_a_reply(olga: User, ivo: User) -> None:
    club = make_club("Lake", olga)
    Club.objects.update(about="We play *slowly*.\nEvery week.")
    invite_member(club.pk, olga, "ivo", now=NOON)
    (letter,) = sent_to(ivo)
    assert f"olga invites you to the club {club.name}." in str(letter.subject)
    assert "| We play *slowly*. | Every week." in one_line(letter)
    assert "To join, reply with: join club lake" in one_line(letter)
    assert codes(write(ivo, "join club lake", to=str(letter.reply_to[0]))) == ["done"]
    assert membership(club, ivo) is not None


def test_organisers_are_told_who_asks_and_who_asked_is_told_of_the_answer(olga: User, ivo: User) -> None:
    club, helper, member = make_club("Lake", olga, is_private=False), make_user("hana"), make_user("mia")
    Member.objects.create(club=club, user=helper, role=Member.Role.ORGANISER, joined_at=NOON)
    Member.objects.create(club=club, user=member, joined_at=NOON)
    for _ in range(2):
        join_club(club.pk, ivo, now=NOON)
    for reader in (olga, helper):
        (letter,) = sent_to(reader)
        assert f"ivo asks to join the club {club.name}." in one_line(letter)
    assert sent_to(member) == []
    assert codes(write(helper, f"club {club.slug} accept ivo", to=str(letter.reply_to[0]))) == ["done"]
    assert f"You belong to the club {club.name} now." in one_line(sent_to(ivo)[-1])


def test_nothing_comes_of_what_was_taken_back_before_the_mail_went(olga: User, ivo: User) -> None:
    club = make_club("Lake", olga, is_private=False)
    invite_member(club.pk, olga, "ivo", now=NOON)
    turn_down(club.pk, olga, "ivo")
    join_club(club.pk, ivo, now=NOON)
    take_back_request(club.pk, ivo)
    assert sent_to(ivo) == sent_to(olga) == []


def test_an_invitation_that_comes_again_and_again_is_told_once_a_day(olga: User, ivo: User) -> None:
    club = make_club("Lake", olga)
    for _ in range(3):
        invite_member(club.pk, olga, "ivo", now=NOON)
        turn_down(club.pk, olga, "ivo")
    invite_member(club.pk, olga, "ivo", now=NOON)
    assert len(sent_to(ivo)) == 1


@pytest.mark.slow
def test_invitations_that_are_taken_back_count_as_the_others_do(olga: User) -> None:
    """Otherwise one organiser could write to everybody on the server."""
    club = make_club("Lake", olga)
    for number in range(MOST_INVITED_A_DAY):
        make_user(f"guest{number}")
        invite_member(club.pk, olga, f"guest{number}", now=NOON)
        turn_down(club.pk, olga, f"guest{number}")
    make_user("last")
    with pytest.raises(Refused) as refusal:
        invite_member(club.pk, olga, "last", now=NOON + timedelta(hours=1))
    assert refusal.value.code == "too-many-invitations"
    invite_member(club.pk, olga, "last", now=NOON + timedelta(hours=25))


def test_nobody_is_mailed_more_than_three_invitations_of_strangers_a_day(olga: User, ivo: User) -> None:
    """A friend's comes in any case, and all of them stand on the first page."""
    for number in range(5):
        owner = make_user(f"owner{number}")
        invite_member(make_club(f"Club{number}", owner).pk, owner, "ivo", now=NOON)
    assert len(sent_to(ivo)) == 3
    make_match(players=[olga, ivo])
    invite_member(make_club("Lake", olga).pk, olga, "ivo", now=NOON)
    assert "olga invites you to the club Lake." in one_line(sent_to(ivo)[-1])
    assert "Club4" in read(signed_in(ivo).get("/")).text
    later = make_user("later")
    invite_member(make_club("Dune", later).pk, later, "ivo", now=NOON + timedelta(hours=25))
    assert "later invites you to the club Dune." in one_line(sent_to(ivo)[-1])


def test_who_wants_no_mail_gets_none(olga: User, ivo: User) -> None:
    set_mail_mode(ivo, User.MailMode.OFF, now=NOON)
    invite_member(make_club("Lake", olga).pk, olga, "ivo", now=NOON)
    assert Candidate.objects.filter(user=ivo).exists()
    assert sent_to(ivo) == []


@pytest.mark.parametrize("is_private", [False, True])
def test_channels_are_told_the_name_of_a_public_club_alone(olga: User, ivo: User, is_private: bool) -> None:
    club = make_club("Lake", olga, is_private=is_private)
    invite_member(club.pk, olga, "ivo", now=NOON)
    told = announce(OutboxMessage.objects.get(kind="club-notice"))
    assert told is not None
    assert (club.name in told.title) is not is_private
    assert ("lake" in told.path) is not is_private
