"""No page shows more than its reader may know."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.matches import codec, records, replay
from gemserver.matches.models import Match, Seat
from tests.builders import make_match, make_user, play_until
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

PAGES = ("", "ply/0/", "ply/3/", "ply/{ply}/", "plies/0/", "deal/", "record.match", "progress/")


@pytest.fixture
def match(players: list[User]) -> Match:
    match = make_match(players=players)
    return play_until(match, lambda reached: reached.ply >= 12)


def readers(players: list[User]) -> list[tuple[Client, User | None]]:
    return [
        (Client(), None),
        (signed_in(make_user("dee")), None),
        *((signed_in(user), user) for user in players),
    ]


def bodies(client: Client, match: Match) -> list[str]:
    return [body(client, match, page) for page in PAGES]


def body(client: Client, match: Match, page: str = "") -> str:
    """The page as the reader gets it, without ids that are new on every page."""
    response = client.get(f"/m/{match.code}/{page.format(ply=match.ply)}")
    assert response.status_code == 200
    return re.sub(r'name="(csrfmiddlewaretoken|request_id)" value="[^"]*"', "", response.content.decode())


@pytest.mark.slow
def test_pages_do_not_depend_on_what_their_reader_cannot_know(match: Match, players: list[User]) -> None:
    """Redrawing everything hidden from a reader changes no byte of that reader's pages."""
    state = replay.position(match)
    for client, user in readers(players):
        seat = None if user is None else match.seats.get(user=user).index
        before = body(client, match)
        for attempt in range(5):
            redrawn = match.rules.resample(state, seat, Chance("0" * 64, f"redraw {attempt}"))
            assert redrawn != state
            Match.objects.filter(pk=match.pk).update(position=codec.dump(redrawn))
            assert body(client, match) == before
        Match.objects.filter(pk=match.pk).update(position=codec.dump(state))


@pytest.mark.slow
def test_the_secret_and_the_seed_are_on_no_page_while_the_match_runs(
    match: Match, players: list[User]
) -> None:
    for client, _user in readers(players):
        for text in [*bodies(client, match), client.get("/").content.decode()]:
            assert match.server_part not in text
            assert replay.seed(match) not in text


@pytest.mark.slow
def test_nobody_sees_the_reply_address_of_another(match: Match, players: list[User]) -> None:
    tokens = {seat.user: seat.token for seat in match.seats.select_related("user")}
    for client, user in readers(players):
        for text in bodies(client, match):
            assert not [owner for owner, token in tokens.items() if owner != user and token in text]


def make_private(match: Match, seat: Seat, text: str) -> None:
    """Turn the last move into a pick that only its own seat may know, as in games with hidden choices."""
    move = match.moves.order_by("-ply")[0]
    events: list[dict[str, Any]] = [
        {"kind": "pass", "seat": seat.index, "data": {}, "audience": [seat.index]},
        {"kind": "bid", "seat": seat.index, "data": {"amount": 987}, "audience": None},
    ]
    move.events, move.text, move.seat, move.is_sealed = events, text, seat.index, True
    move.save()


def test_a_hidden_pick_is_left_out_of_the_log_and_record_of_others(match: Match, players: list[User]) -> None:
    owner = match.seats.select_related("user").get(user=players[0])
    make_private(match, owner, "secretpick")
    assert "secretpick" not in records.record_text(match)
    for client, user in readers(players):
        page = " ".join(client.get(f"/m/{match.code}/").content.decode().split())
        (line,) = re.findall(r"<li(?: [^>]*)?>(?:(?!</li>).)*\b987\b.*?</li>", page)
        if user == players[0]:
            assert "You pass. You bid 987." in line
        else:
            assert f"{players[0].username} bids 987." in line
            assert "pass" not in line
        assert "secretpick" not in page
