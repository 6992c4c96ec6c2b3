"""Shutting an account ends its seats at waiting tables, its invitations and its mail to clubs."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clocks.control import PRESETS, USUAL_CLOCK
from gemserver.clubs.models import Member
from gemserver.lib import clock
from gemserver.matches.actions.clubs.post_to_list import post_to_list, set_list_mode
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.tables.answer_invitation import accept_invitation
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.moderation.actions import ACTIONS
from gemserver.moderation.actions.action import ActionRequest, perform
from gemserver.moderation.models import AuditEntry
from tests.builders import make_match, make_user
from tests.clubs.people import make_club
from tests.events.leagues import make_event
from tests.mailgate.posting import sent_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana() -> User:
    return make_user("ana")


@pytest.fixture
def ben() -> User:
    return make_user("ben")


def shut(user: User) -> None:
    asked = ActionRequest(make_user("mod", role=Role.MODERATOR), "Insults.", "key", clock.now())
    perform(ACTIONS["ban"], asked, user, {"note": "Insults."})


def wait_at_table(user: User, seats: int = 3) -> Match:
    return open_table(
        user,
        Terms(game="gem", seats=seats, time_control=PRESETS[USUAL_CLOCK], allows_bots=True),
        now=clock.now(),
    )


def test_nobody_begins_a_match_with_an_account_that_is_shut(ana: User, ben: User) -> None:
    own, others = wait_at_table(ana), wait_at_table(ben)
    join_table(others.pk, ana, now=clock.now())
    bot = open_bot(ana, "anabot", now=clock.now())
    with_bot = wait_at_table(ben)
    join_table(with_bot.pk, bot, now=clock.now())
    running = make_match(players=[ana, ben])
    shut(ana)
    own.refresh_from_db()
    assert own.status == Match.Status.CANCELLED
    assert [seat.user for seat in others.seats.all()] == [ben]
    assert [seat.user for seat in with_bot.seats.all()] == [ben]
    assert running.seats.filter(user=ana).exists(), "that is for moderators to decide"


def test_nobody_is_invited_by_an_account_that_is_shut(ana: User, ben: User) -> None:
    table = wait_at_table(ana)
    join_table(table.pk, make_user("cy"), now=clock.now())
    invitation = invite(table.pk, ana, "ben", now=clock.now())
    shut(ana)
    assert [letter.subject for letter in sent_to(ben) if "invites" in letter.subject] == []
    with pytest.raises(Refused, match="withdrawn"):
        accept_invitation(invitation.pk, ben, now=clock.now())


@pytest.mark.parametrize("mode", [Member.ListMode.EACH, Member.ListMode.DIGEST])
def test_what_it_wrote_to_a_club_goes_out_to_nobody(
    ana: User, ben: User, mode: Member.ListMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = make_club("chess", ana, ben)
    set_list_mode(club.pk, ben, mode)
    post_to_list(club.pk, ana, "Buy now", "Cheap stones.", key="one", now=clock.now())
    shut(ana)
    tomorrow = clock.now() + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: tomorrow)
    assert [letter.subject for letter in sent_to(ben) if "Cheap" in letter.body] == []


def test_the_log_names_events_that_nobody_else_organises(ana: User) -> None:
    make_event(ana, slug="league")
    shut(ana)
    assert AuditEntry.objects.get().data["events without an organiser"] == "league"


def test_it_sits_for_nobody(ana: User, ben: User) -> None:
    first, second = (make_match(players=[ben, make_user(name)]) for name in ("cy", "dee"))
    today = clock.now().date()
    for match in (second, first):
        sitting = propose_sitting(match.pk, ben, "ana", today, today, now=clock.now())
        agree_to_sit(sitting.pk, ana, now=clock.now())
    wait_at_table(ana)
    shut(ana)
    assert not ana.sittings.filter(ended_at=None).exists()
