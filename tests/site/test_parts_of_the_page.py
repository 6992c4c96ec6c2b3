"""After every action, a match's page with its parts swapped by htmx equals the page loaded afresh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.test.html import Element

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.people.snooze import snooze
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.store_plan import store_plan
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.seats.hand_over import give_up_seat
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.actions.time.take_vacation import announce_vacation
from gemserver.matches.models import Match, Move, Seat, Sitting
from tests.builders import make_match, make_user, play_to_the_end
from tests.quick import one_in, some
from tests.site.pages import signed_in
from tests.site.parts import find, parse, read_whole, swap, told

pytestmark = pytest.mark.django_db

DEAL = "1" * 64


@dataclass
class Table:
    """A match of GEM, its players from the Oya on, and Dee, who does not play."""

    match: Match
    players: list[User]
    dee: User

    @property
    def url(self) -> str:
        return self.match.get_absolute_url()

    def order(self, place: int, text: str) -> None:
        """Move or order as the player in this place after the Oya, without the page."""
        actor = Actor.player(self.players[place])
        submit(Request(self.match.code, actor, text, Move.Source.MAIL, uuid4().hex), now=clock.now())

    def plan(self, place: int, text: str) -> None:
        store_plan(
            self.match.pk,
            self.players[place],
            text,
            source=Move.Source.MAIL,
            request_id=uuid4().hex,
            now=clock.now(),
        )

    def sitting(self) -> Sitting:
        """Ask Dee to sit for the Oya."""
        today = clock.now().date()
        return propose_sitting(
            self.match.pk, self.players[0], "dee", today, today + timedelta(days=2), now=clock.now()
        )


def seat_at(pace: str) -> Table:
    match = make_match(
        players=[make_user(name) for name in ("ana", "ben", "cy")],
        options={"pace": pace},
        server_part=DEAL,
        now=clock.now(),
    )
    seats = list(Seat.objects.select_related("user").filter(match=match).order_by("index"))
    first = replay.position(match).oya
    players = [seat.user for seat in (*seats[first:], *seats[:first]) if seat.user]
    return Table(match, players, make_user("dee"))


Send = Callable[[str, dict[str, Any]], Any]
Prepare = Callable[[Table], object]
Fields = Callable[[Table], dict[str, Any]]


def nothing(table: Table) -> None:
    pass


def ask_back(table: Table, place: int = 0) -> None:
    table.order(0, "bid 1")
    propose_undo(table.match.pk, table.players[place], now=clock.now())


def lay_two(table: Table) -> None:
    table.order(1, "bid 1")
    table.order(2, "pass")


def give_up_last(table: Table) -> None:
    seat = Seat.objects.select_related("user").get(match=table.match, user=table.players[2])
    give_up_seat(table.match, seat, is_open=True, now=clock.now())


def days(**more: str) -> Fields:
    def fields(table: Table) -> dict[str, Any]:
        first = clock.now().date() + timedelta(days=1)
        return {"first": str(first), "last": str(first + timedelta(days=1)), **more}

    return fields


def answer_sitting(do: str) -> Fields:
    return lambda table: {"do": do, "sitting": Sitting.objects.get().pk}


def agreed(table: Table) -> None:
    agree_to_sit(table.sitting().pk, table.dee, now=clock.now())


def propose_days(table: Table) -> None:
    first = clock.now().date() + timedelta(days=1)
    propose_holiday(table.match.pk, table.players[1], first, first, now=clock.now())


def just(**fields: str) -> Fields:
    return lambda table: dict(fields)


ACTIONS: dict[str, tuple[str, Prepare, int, str, Fields]] = {
    # pace, preparation, actor (3: Dee), path below the match's address, fields to send
    "play a move": ("table", nothing, 0, "", just(text="bid 1", play="1")),
    "a move that is refused": ("table", nothing, 1, "", just(text="bid 1", play="1")),
    "play while a plan waits": (
        "table",
        lambda t: t.plan(1, "bid 2 else pass"),
        0,
        "",
        just(text="bid 1", play="1"),
    ),
    "win by plan": (
        "table",
        lambda t: (t.plan(1, "bid 2"), t.plan(2, "pass")),
        0,
        "",
        just(text="bid 1", play="1"),
    ),
    "seal an order": ("sealed", nothing, 0, "", just(text="bid 2", play="1")),
    "change an order": ("sealed", lambda t: t.order(0, "bid 2"), 0, "", just(text="bid 4", play="1")),
    "seal the last order": ("sealed", lay_two, 0, "", just(text="bid 2", play="1")),
    "plan in a line": ("table", nothing, 1, "", just(text="bid 2 else pass", play="1")),
    "keep a plan": ("table", nothing, 1, "orders/", just(do="store", plan="bid 2 else pass")),
    "keep a plan in a sealed contest": ("sealed", nothing, 1, "orders/", just(do="store", plan="bid 2")),
    "replace a plan": (
        "table",
        lambda t: t.plan(1, "bid 5"),
        1,
        "orders/",
        just(do="store", plan="always\npass"),
    ),
    "a plan that plays at once": ("table", nothing, 0, "orders/", just(do="store", plan="bid 2")),
    "clear a plan": ("table", lambda t: t.plan(1, "bid 5"), 1, "orders/", just(do="clear")),
    "ask for moves back": ("table", lambda t: t.order(0, "bid 1"), 0, "orders/", just(do="undo")),
    "agree to that": ("table", ask_back, 1, "orders/", just(do="agree")),
    "refuse that": ("table", ask_back, 1, "orders/", just(do="refuse")),
    "take that back": ("table", ask_back, 0, "orders/", just(do="refuse")),
    "talk": ("table", nothing, 1, "talk/", just(said="Good *luck*")),
    "mute the talk": ("table", nothing, 1, "talk/tune/", just(mute="1")),
    "block a player": ("table", nothing, 1, "talk/tune/", lambda t: {"block": t.players[0].username}),
    "note": ("table", nothing, 1, "notes/", just(note="Ben bluffs")),
    "ask for a sitter": ("table", nothing, 0, "sitter/", days(do="propose", name="dee")),
    "agree to sit": ("table", lambda t: t.sitting(), 3, "sitter/", answer_sitting("agree")),
    "refuse to sit": ("table", lambda t: t.sitting(), 3, "sitter/", answer_sitting("refuse")),
    "take a seat back": ("table", agreed, 0, "sitter/", answer_sitting("end")),
    "give a seat back": ("table", agreed, 3, "sitter/", answer_sitting("refuse")),
    "move as a sitter": ("table", agreed, 3, "", just(text="bid 1", play="1")),
    "order as a sitter": ("sealed", agreed, 3, "", just(text="bid 1", play="1")),
    "propose days off": ("table", nothing, 0, "holiday/", days(do="propose")),
    "agree to days off": ("table", propose_days, 0, "holiday/", just(do="agree")),
    "refuse days off": ("table", propose_days, 0, "holiday/", just(do="refuse")),
    "take an open seat": (
        "table",
        give_up_last,
        3,
        "seats/{last}/take/",
        just(),
    ),
}


def fill(table: Table, client: Client, path: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Add the hidden fields of the form on the page."""
    seat = Seat.objects.filter(match=table.match, user__in=[table.players[0]]).get()
    own = Seat.objects.filter(match=table.match, user=client.session["_auth_user_id"]).first() or seat
    return {"prompt_ply": own.prompt_ply, "seen_ply": own.match.ply, "request_id": str(uuid4()), **fields}


@pytest.mark.slow
@pytest.mark.parametrize("action", one_in(4, some([*ACTIONS], 2)))
def test_what_an_answer_makes_of_the_page_is_the_page_as_it_is_loaded(action: str) -> None:
    pace, prepare, place, path, fields = ACTIONS[action]
    table = seat_at(pace)
    last = Seat.objects.get(match=table.match, user=table.players[2]).index
    prepare(table)
    client = signed_in([*table.players, table.dee][place])
    others = [signed_in(user) for user in [*table.players, table.dee][:place]]
    others += [signed_in(user) for user in [*table.players, table.dee][place + 1 :]]
    others.append(Client())
    page = read_whole(client, table.match)
    before = [read_whole(other, table.match) for other in others]
    way = table.url + path.format(last=last)
    response = client.post(way, fill(table, client, path, fields(table)), follow=True)
    is_refused = response.status_code == 422
    assert is_refused == ("refused" in action), response.content.decode()
    swap(page, parse(response), way)
    if is_refused:
        assert "refusal" in told(page)
    else:
        loaded = told(read_whole(client, table.match))
        assert told(page) == loaded
        assert told(parse(response)) == loaded, "without JavaScript too"
    for other, shown in zip(others, before, strict=True):
        look(other, table.match, shown)


def look(client: Client, match: Match, shown: Element) -> None:
    """Let the page ask for news and swap the answer; then nothing on it is out of date."""
    [live] = find(shown, id="live")
    word = client.get(f"{match.get_absolute_url()}progress/").json()["page"]
    fresh = read_whole(client, match)
    loaded = told(fresh)
    if word != dict(live.attributes)["data-now"]:
        swap(shown, fresh, match.get_absolute_url())
    assert told(shown) == loaded


def away(table: Table) -> None:
    today = clock.now().date()
    announce_vacation(table.players[0], today, today + timedelta(days=3), now=clock.now())


def resigned(table: Table) -> None:
    resign(table.match.pk, table.players[1], source=Move.Source.WEB, request_id="1", now=clock.now())


def spoken(table: Table) -> None:
    say(table.match.pk, table.players[1], "hurry up", "1", now=clock.now())


ELSEWHERE: dict[str, tuple[str, Prepare]] = {
    "a vacation": ("table", away),
    "talk": ("table", spoken),
    "a plan by mail": ("table", lambda t: t.plan(1, "bid 2 else pass")),
    "an order by mail": ("sealed", lambda t: t.order(1, "bid 2")),
    "a snooze": ("table", lambda t: snooze(t.players[0], timedelta(hours=3), now=clock.now())),
    "a resignation": ("table", resigned),
    "a sitter who agreed": ("table", agreed),
    "the end": ("table", lambda t: play_to_the_end(t.match, now=clock.now())),
}


@pytest.mark.parametrize("happening", one_in(3, ELSEWHERE))
def test_what_happens_elsewhere_comes_to_every_open_page(happening: str) -> None:
    pace, happen = ELSEWHERE[happening]
    table = seat_at(pace)
    clients = [signed_in(user) for user in [*table.players, table.dee]] + [Client()]
    shown = [read_whole(client, table.match) for client in clients]
    happen(table)
    for client, page in zip(clients, shown, strict=True):
        look(client, table.match, page)
