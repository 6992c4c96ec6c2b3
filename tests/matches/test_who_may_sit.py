"""All doors to a seat ask alike who may sit down: joining, free seats, sitters, seats that are given away."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import Block, User
from gemserver.matches import selectors, tables
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.actions.seats.hand_over import reassign_seat, take_seat
from gemserver.matches.actions.tables.answer_invitation import accept_invitation
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.who_may_sit import refuse_to_come
from tests.builders import NOON, make_match, make_table, make_user
from tests.clubs.people import make_club, play_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def eve() -> User:
    return make_user("eve")


def block(one: User, other: User) -> None:
    Block.objects.create(user=one, blocked=other, created_at=NOON)


def with_free_seat(match: Match) -> Seat:
    """The last seat of the match, which waits for a substitute."""
    last = match.seats.order_by("-index")[0]
    return reassign_seat(match.pk, last.index, None, "gone", now=NOON, is_open=True)


@pytest.fixture
def seat(ana: User, ben: User) -> Seat:
    return with_free_seat(make_match(players=[ana, ben, make_user("cy")]))


@pytest.mark.parametrize("who", ["eve", "ana"])
def test_who_is_blocked_by_somebody_there_does_not_sit_down(
    ana: User, eve: User, seat: Seat, who: str
) -> None:
    block(eve, ana) if who == "eve" else block(ana, eve)
    table = make_table(seats=3, creator=ana)
    with pytest.raises(Refused, match="not-welcome"):
        join_table(table.pk, eve, now=NOON)
    with pytest.raises(Refused, match="not-welcome"):
        take_seat(seat.match_id, seat.index, eve, now=NOON)
    with pytest.raises(Refused, match="not-welcome"):
        reassign_seat(seat.match_id, seat.index, eve, "why", now=NOON)
    assert not selectors.open_seats(eve).exists()


def test_a_sitter_is_nobody_with_whom_another_player_shares_a_block(ana: User, ben: User, eve: User) -> None:
    """And whoever asks is not told of the block of two others."""
    match = make_match(players=[ana, ben])
    block(ben, eve)
    with pytest.raises(Refused, match="not-welcome") as refused:
        propose_sitting(match.pk, ana, "eve", NOON.date(), NOON.date(), now=NOON)
    assert "block" not in refused.value.text()


def test_an_invitation_does_not_lead_past_a_block(ana: User, ben: User, eve: User) -> None:
    table = make_table(seats=4, creator=ana, access=Match.Access.INVITED)
    invitation = invite(table.pk, ana, "eve", now=NOON)
    block(eve, ben)
    invite(table.pk, ana, "ben", now=NOON)
    assert list(tables.open_invitations(eve)) == [invitation]
    join_table(table.pk, ben, now=NOON)
    assert not tables.open_invitations(eve).exists()
    with pytest.raises(Refused, match="not-welcome"):
        accept_invitation(invitation.pk, eve, now=NOON)
    with pytest.raises(Refused, match="no-invitations"):
        invite(table.pk, ben, "eve", now=NOON)


def test_a_free_seat_among_invited_players_is_for_who_was_invited(ana: User, ben: User, eve: User) -> None:
    table = make_table(seats=3, creator=ana, access=Match.Access.INVITED, starts_when_full=True)
    dee = make_user("dee")
    for name in ("ben", "dee"):
        invite(table.pk, ana, name, now=NOON)
    join_table(table.pk, ben, now=NOON)
    join_table(table.pk, make_user("cy"), link=table.link_token, now=NOON)
    seat = with_free_seat(table)
    with pytest.raises(Refused, match="not-invited"):
        take_seat(table.pk, seat.index, eve, now=NOON)
    assert not selectors.open_seats(eve).exists()
    assert take_seat(table.pk, seat.index, dee, now=NOON).user == dee


def test_a_free_seat_in_a_club_is_for_its_members(ana: User, ben: User, eve: User) -> None:
    seat = with_free_seat(play_in(make_club("Lake", ana, ben, is_private=False), ana, ben))
    with pytest.raises(Refused, match="not-a-member"):
        take_seat(seat.match_id, seat.index, eve, now=NOON)
    with pytest.raises(Refused, match="no-member"):
        reassign_seat(seat.match_id, seat.index, eve, "why", now=NOON)


def test_no_seat_is_offered_that_would_be_refused(ana: User, ben: User, eve: User) -> None:
    """Neither to who resigned it, nor to who has seen another hand of the match."""
    cy = make_user("cy")
    match = make_match(players=[ana, ben, cy], absence=Match.Absence.REPLACE)
    resign(match.pk, cy, source=Move.Source.WEB, request_id="r", now=NOON)
    reassign_seat(match.pk, 1, None, "gone", now=NOON, is_open=True)
    assert [seat.index for seat in selectors.open_seats(eve)] == [1, 2]
    assert [seat.index for seat in selectors.open_seats(ben)] == [1]
    assert not selectors.open_seats(cy).exists()
    for user in (eve, ben, cy):
        offered = {seat.index for seat in selectors.open_seats(user)}
        barred = {
            seat.index for seat in match.seats.filter(is_open=True) if refuse_to_come(match, user, seat)
        }
        assert offered | barred == {1, 2}, user
        assert not offered & barred, user


def test_who_has_lost_the_seat_comes_back_whoever_has_blocked_them_since(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    reassign_seat(match.pk, 1, None, "gone", now=NOON, is_open=True)
    Match.objects.update(access=Match.Access.INVITED)
    block(ana, ben)
    assert take_seat(match.pk, 1, ben, now=NOON).user == ben
