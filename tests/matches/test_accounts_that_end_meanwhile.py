"""An account is erased or shut while something that it sent waits for its row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from gemserver.accounts.bans import ban_user
from gemserver.accounts.models import Block, User
from gemserver.clubs.models import Club, Member
from gemserver.inbox.erasure import erase
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.matches.actions.clubs.leave_club import leave_club, set_role
from gemserver.matches.actions.clubs.open_club import open_club
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.people.make_token import make_token
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.people.shut_account import shut_account
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.actions.tables.answer_invitation import accept_invitation
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.start_practice import start_practice
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from tests.api.programs import Program
from tests.builders import NOON, make_match, make_table, make_user
from tests.clubs.people import make_club
from tests.lock_waits import begin
from tests.mailgate.posting import write
from tests.site.pages import signed_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


@pytest.mark.parametrize("is_program", [False, True])
def test_what_an_erased_account_had_sent_is_put_off_with_words(
    is_program: bool, ana: User, pool: ThreadPoolExecutor
) -> None:
    """The form asks for the account's row in vain; the program's table names an account that is gone."""
    browser, program, answers = signed_in(ana), Program.of(ana), []

    def send() -> None:
        if is_program:
            answers.append(program.post("tables", {"game": "gem"}))
        else:
            answers.append(browser.post("/you/bots/", {"name": "anabot"}))

    with transaction.atomic():
        list(User.objects.select_for_update().filter(pk=ana.pk))
        sent = begin(pool, send)
        erase(ana, now=NOON)
    sent.result(timeout=20)
    assert [answer.status_code for answer in answers] == [503]
    assert not User.objects.exists()


MADE: dict[str, Callable[[User], object]] = {
    "bot": lambda user: open_bot(user, "anabot", now=NOON),
    "token": lambda user: make_token(user, "phone", {"read"}, days=None, now=NOON),
    "club": lambda user: open_club(user, name="Gems", now=NOON),
    "practice": lambda user: start_practice(user, "gem", now=NOON),
}


@pytest.mark.parametrize("what", MADE)
def test_nothing_is_made_by_an_account_that_is_shut_meanwhile(
    what: str, ana: User, pool: ThreadPoolExecutor
) -> None:
    """It would stay open: only what there is, as its bots, is shut with the account."""
    with transaction.atomic():
        ban_user(ana, "no", now=NOON)
        made = begin(pool, lambda: MADE[what](ana))
    with pytest.raises(Refused, match="shut"):
        made.result(timeout=20)
    assert not ana.bots.exists()
    assert not ana.personal_tokens.exists()
    assert not Club.objects.exists()
    assert not Match.objects.exists()


def _join(table: Match, user: User) -> Callable[[], object]:
    return lambda: join_table(table.pk, user, now=NOON)


def _open(table: Match, user: User) -> Callable[[], object]:
    return lambda: make_table(seats=2, creator=user)


def _accept(table: Match, user: User) -> Callable[[], object]:
    host = table.created_by
    assert host is not None
    invitation = invite(table.pk, host, user.username, now=NOON)
    return lambda: accept_invitation(invitation.pk, user, now=NOON)


SIT_DOWN = [_join, _open, _accept]


@pytest.mark.parametrize("prepare", SIT_DOWN)
@pytest.mark.parametrize("is_bot", [False, True])
def test_who_sits_down_while_the_account_is_shut_gets_up_again(
    prepare: Callable[[Match, User], Callable[[], object]],
    is_bot: bool,
    ana: User,
    ben: User,
    pool: ThreadPoolExecutor,
) -> None:
    """The seat is not committed when the tables are looked up; one of a lower number was left before."""
    lower, table, higher = (
        make_table(seats=3, creator=ben, starts_when_full=True, allows_bots=True) for _ in range(3)
    )
    user = open_bot(ana, "anabot", now=NOON) if is_bot else ana
    join_table(higher.pk, user, now=NOON)
    sit_down = prepare(table, user)
    with transaction.atomic():
        sit_down()
        shut = begin(pool, lambda: shut_account(ana, "no", now=NOON))
        assert not shut.done()
    shut.result(timeout=20)
    assert not Seat.objects.filter(user__in=[ana, user], match__status=Match.Status.OPEN).exists()
    assert [seat.user for seat in lower.seats.all()] == [ben]


@pytest.mark.parametrize("prepare", SIT_DOWN)
def test_an_account_that_is_shut_in_the_moment_sits_down_nowhere(
    prepare: Callable[[Match, User], Callable[[], object]], ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    table = make_table(seats=2, creator=ben, starts_when_full=True)
    sit_down = prepare(table, ana)
    with transaction.atomic():
        shut_account(ana, "no", now=NOON)
        sat_down = begin(pool, sit_down)
    with pytest.raises(Refused):
        sat_down.result(timeout=20)
    assert not Seat.objects.filter(user=ana).exists()
    table.refresh_from_db()
    assert not table.is_running


def test_a_club_that_is_given_while_the_account_is_shut_is_handed_on(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    club = make_club("Lake", ben, ana, make_user("cy"))
    with transaction.atomic():
        set_role(club.pk, ben, "ana", Member.Role.OWNER)
        leave_club(club.pk, ben, now=NOON)
        shut = begin(pool, lambda: shut_account(ana, "no", now=NOON))
    shut.result(timeout=20)
    owners = club.members.filter(role=Member.Role.OWNER, user__is_active=True)
    assert [member.user.username for member in owners] == ["cy"]


def test_nobody_is_asked_to_sit_who_is_shut_in_the_moment(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    match = make_match(players=[ben, make_user("cy")])
    with transaction.atomic():
        shut_account(ana, "no", now=NOON)
        proposed = begin(
            pool, lambda: propose_sitting(match.pk, ben, "ana", NOON.date(), NOON.date(), now=NOON)
        )
    with pytest.raises(Refused, match="no-such-player"):
        proposed.result(timeout=20)
    assert not ana.sittings.exists()


@pytest.mark.parametrize("way", ["page", "program", "mail"])
def test_blocking_whom_an_erasure_takes_away_meanwhile(
    way: str, ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    """It is put off with words; asked again, there is no such player, and the erasure is whole."""
    match = make_match(players=[ana, ben, make_user("cy")])
    browser, program, told = signed_in(ana), Program.of(ana), []

    def ask() -> object:
        if way == "page":
            return browser.post(f"/m/{match.code}/talk/tune/", {"block": "ben"}).status_code
        if way == "program":
            return program.post("blocks", {"name": "ben"}).status_code
        return write(ana, "block ben").results

    with transaction.atomic():
        erase(ben, now=NOON)
        asked = begin(pool, lambda: told.append(ask()))
        assert not asked.done()
    asked.result(timeout=20)
    assert not User.objects.filter(username="ben").exists()
    assert not Block.objects.exists()
    if way == "mail":
        InboundEmail.objects.update(claimed_until=None)  # a quarter of a minute later
        processing.process_stored()
        [row] = InboundEmail.objects.all()
        assert [result["code"] for result in row.results] == ["no-such-player"]
    else:
        assert told == [503]


def test_an_erasure_takes_a_block_along_that_is_made_meanwhile(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    with transaction.atomic():
        block_player(ana, "ben", now=NOON)
        connections["default"].check_constraints()
        erased = begin(pool, lambda: erase(ben, now=NOON))
    erased.result(timeout=20)
    assert not User.objects.filter(username="ben").exists()
    assert not Block.objects.exists()
