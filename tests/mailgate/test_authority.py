"""Authority of a mail that names several seats or senders, or a sender who is not proved.

See mail-requirements.md A7, S1–S5.
"""

from __future__ import annotations

from typing import Any

import pytest

from gemserver.lib import clock
from gemserver.matches.models import Match, Seat
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import sent_to, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def seats() -> list[Seat]:
    """Ana's seats in two matches, in both of which it is her turn."""
    ana, ben = make_user("ana"), make_user("ben")
    found: list[Seat] = []
    for number in range(20):  # each deal draws by lot who begins, always the same way
        match = make_match(players=[ana, ben], server_part=f"{number:064x}", now=clock.now())
        seat = match.seats.select_related("user", "match").get(user=ana)
        found += [seat] if seat.is_waiting else []
        if len(found) == 2:
            break
    return found


def test_a_mail_to_two_seats_does_nothing_and_says_so_once(seats: list[Seat]) -> None:
    first, second = seats
    raw = letter(first, "bid 1", To=f"{first.reply_address}, {second.reply_address}")
    row = receive(first, raw)
    assert (row.state, row.code) == ("refused", "several-seats")
    assert not any(match.moves.exists() for match in Match.objects.all())
    receive(first, letter(first, "bid 2", To=f"{first.reply_address}, {second.reply_address}"))
    assert first.user
    told = [message for message in sent_to(first.user) if "addresses of several matches" in str(message.body)]
    assert len(told) == 1


def test_the_address_of_one_seat_is_no_way_into_another_match(seats: list[Seat]) -> None:
    first, second = seats
    assert first.user
    row = write(first.user, f"{second.match.code}: bid 1", to=first.reply_address)
    assert row.code == "other-match"
    assert not second.match.moves.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "dmarc", "state", "code"),
    [
        ("normal", "pass", "done", ""),
        ("normal", "none", "done", ""),
        ("normal", "fail", "refused", "forged"),
        ("strict", "pass", "done", ""),
        ("strict", "none", "refused", "unproved"),
        ("strict", "fail", "refused", "forged"),
        ("off", "none", "done", ""),
    ],
)
def test_the_policy_of_each_mode(
    seats: list[Seat], settings: Any, mode: str, dmarc: str, state: str, code: str
) -> None:
    settings.MAIL_AUTH = mode
    row = receive(seats[0], letter(seats[0], "bid 1"), dmarc=dmarc)
    assert (row.state, row.code) == (state, code)
    assert seats[0].match.moves.exists() == (state == "done")


@pytest.mark.parametrize("sender", ["ANA@EXAMPLE.ORG", "Ana <Ana@Example.Org>"])
def test_the_case_of_an_address_does_not_matter(seats: list[Seat], sender: str) -> None:
    assert receive(seats[0], letter(seats[0], "bid 1", sender=sender)).state == "done"


def test_reply_to_and_sender_prove_nothing(seats: list[Seat]) -> None:
    raw = letter(
        seats[0],
        "bid 1",
        sender="mallory@elsewhere.example",
        Reply_To="ana@example.org",
        Sender="ana@example.org",
    )
    assert receive(seats[0], raw).state == "held"
