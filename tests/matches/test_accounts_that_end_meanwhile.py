"""An account is erased or shut while something that it sent waits for its row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from gemserver.accounts.bans import ban_user
from gemserver.accounts.models import Block, User
from gemserver.clubs.models import Club
from gemserver.inbox.erasure import erase
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.matches.actions.clubs.open_club import open_club
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.people.make_token import make_token
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.tables.start_practice import start_practice
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from tests.api.programs import Program
from tests.builders import NOON, make_match, make_user
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
