"""`examples/bot.py` against a running server: it plays, and it survives what happens to programs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.conf import LazySettings
from pytest_django.live_server_helper import LiveServer

from games import registry
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.open_bot import offer_practice
from gemserver.matches.actions.play.propose_undo import agree_to_undo, open_undo, propose_undo
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.start_practice import practise_with
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import KeyedRequest, Match, Move, Seat
from gemserver.matches.verify import first_difference
from tests.builders import THREE_DAYS, make_user
from tests.examples.shipped import BOT, load, make_bot

pytestmark = pytest.mark.django_db(transaction=True)


class Pauses(list[float]):
    """Takes the place of `time` in the example: notes how long it would sleep."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.append(seconds)
        self.now += seconds

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def example(pauses: Pauses) -> Any:
    """The class of the example, which does not really sleep."""
    module: Any = load()
    module.time = pauses
    return module.Bot


@pytest.fixture
def bots(example: Any, live_server: LiveServer) -> list[Any]:
    """Two programs with a bot account each, of different people."""
    owners = [make_user(name) for name in ("ana", "ben")]
    tokens = [make_bot(owner, f"{owner.username}s bot")[1] for owner in owners]
    return [example(live_server.url, token, most=9) for token in tokens]


def _open(game: str, seats: int, *, creator: User | None = None, **more: Any) -> Match:
    terms = Terms(game=game, seats=seats, time_control=THREE_DAYS, allows_bots=True, **more)
    return open_table(creator, terms, now=clock.now())


def _go_on(bots: list[Any], match: Match, most: int = 3000) -> Match:
    """Let the programs look in turn until the match is over."""
    for _ in range(most):
        for bot in bots:
            bot.look()
        match.refresh_from_db()
        if match.is_over:
            return match
    raise AssertionError(f"{match} is not over after {most} looks")


def test_it_is_short_and_needs_nothing_else() -> None:
    lines = BOT.read_text().splitlines()
    assert len(lines) < 80
    imported = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names


@pytest.mark.slow
@pytest.mark.parametrize("game", ["florentine", "gem", "gembatan", "gemessengers", "jewellers"])
def test_it_plays_every_game_against_itself(bots: list[Any], game: str, settings: LazySettings) -> None:
    settings.API_RATE = 1_000_000
    match = _go_on(bots, _open(game, registry.game(game).rules.meta.min_seats))
    assert first_difference(match) is None
    sources = set(Move.objects.filter(match=match).values_list("source", flat=True))
    assert sources <= {"api", "auto"}


@pytest.fixture
def begun(bots: list[Any]) -> Match:
    """A match of GEM in which both sit; nobody has moved."""
    match = _open("gem", 2)
    for bot in bots:
        bot.find_company()
    match.refresh_from_db()
    assert match.is_running
    return match


def _asked(bots: list[Any]) -> Any:
    """The program whose bot is to move."""
    (seat,) = Seat.objects.filter(is_waiting=True).select_related("user")
    assert seat.user
    return bots[["anas bot", "bens bot"].index(seat.user.username)]


@pytest.mark.slow
def test_it_comes_when_it_is_invited(bots: list[Any], live_server: LiveServer) -> None:
    host = make_user("cy")
    match = _open("gem", 2, creator=host, access=Match.Access.INVITED)
    invite(match.pk, host, "anas bot", now=clock.now())
    bots[1].look()
    match.refresh_from_db()
    assert match.is_open
    bots[0].look()
    match.refresh_from_db()
    assert match.is_running


@pytest.mark.slow
def test_it_practises_with_people(bots: list[Any]) -> None:
    bots[0].look()
    offer_practice(User.objects.get(username="anas bot"), ["gem"], now=clock.now())
    match = practise_with(make_user("cy"), "gem", "anas bot (bot)", now=clock.now())
    assert [seat.name for seat in match.read_seats()] == ["cy", "anas bot (bot)"]
    assert match.is_running


def test_it_waits_as_long_as_it_is_told(
    bots: list[Any], begun: Match, pauses: Pauses, settings: LazySettings
) -> None:
    """After a 429 it goes on when the minute is over, and plays."""
    settings.API_RATE = 1

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        settings.API_RATE = 300

    pauses.sleep = sleep  # type: ignore[method-assign]
    _asked(bots).look()
    assert len(pauses) == 1
    assert 0 < pauses[0] <= 61
    assert Move.objects.filter(match=begun, source="api").exists()


@pytest.mark.slow
def test_a_refusal_is_no_end(bots: list[Any], begun: Match) -> None:
    """The match has gone on between the question and the answer: it asks anew, and plays."""
    asked = _asked(bots)
    plain, moves = asked.ask, []

    def ask(path: str, body: Any = None, **headers: str) -> Any:
        if path.endswith("/move"):
            moves.append(body)
            if len(moves) == 1:
                body = {**body, "prompt_ply": body["prompt_ply"] + 1}
        return plain(path, body, **headers)

    asked.ask = ask
    asked.look()
    assert not Move.objects.filter(match=begun, source="api").exists()
    asked.look()
    assert Move.objects.filter(match=begun, source="api").exists()
    assert len(moves) == 2


@pytest.mark.slow
def test_after_an_undo_it_answers_the_question_again(bots: list[Any], begun: Match) -> None:
    asked = _asked(bots)
    asked.look()
    first = Move.objects.filter(match=begun, source="api").earliest("ply")
    assert first.actor
    others = [seat.user for seat in begun.read_seats() if seat.user and seat.user != first.actor]
    propose_undo(begun.pk, first.actor, now=clock.now())
    begun.refresh_from_db()
    assert open_undo(begun)
    for other in others:
        agree_to_undo(begun.pk, other, now=clock.now())
    first.refresh_from_db()
    assert first.voided_at
    asked.look()
    again = Move.objects.filter(match=begun, source="api", voided_at=None)
    assert again.get().ply == first.ply


class _Broken(BaseHTTPRequestHandler):
    """Passes requests on, but cuts every answer off in another way the first times: it was carried out all the same."""

    target = ""
    ways: Iterator[str]

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)) or None
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        try:
            answer: Any = urlopen(Request(self.target + self.path, body, headers))
        except HTTPError as error:
            answer = error
        text = answer.read()
        way = next(self.ways, "") if self.command == "POST" else ""
        if way == "nothing":
            self.close_connection = True
            return
        if way == "gateway":
            self.send_response(502)
            self.end_headers()
            self.wfile.write(b"<h1>Bad Gateway</h1>")
            return
        self.send_response(answer.status)
        for name in ("ETag", "Retry-After"):
            if answer.headers[name]:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text[: len(text) // 2] if way == "half" else text)

    do_GET = _pass_on  # noqa: N815
    do_POST = _pass_on  # noqa: N815

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.mark.slow
def test_cut_off_answers_and_restarts_play_nothing_twice(
    example: Any, bots: list[Any], begun: Match, live_server: LiveServer
) -> None:
    """Each move is played, its answer lost three times, and sent again under its key; the program forgets all else."""
    _Broken.target = live_server.url
    server = HTTPServer(("127.0.0.1", 0), _Broken)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for number in range(4):
            ways = ["nothing", "half", "gateway"]
            _Broken.ways = iter(ways)
            for bot in bots:
                token = bot.headers["Authorization"].removeprefix("Bearer ")
                example(f"http://127.0.0.1:{server.server_port}", token).look()
            begun.refresh_from_db()
            assert begun.ply >= number
    finally:
        server.shutdown()
        server.server_close()
    played = Move.objects.filter(match=begun, source="api")
    assert played.count() >= 4
    assert KeyedRequest.objects.filter(name__startswith="api.move").count() == played.count()
    assert first_difference(begun) is None


def test_a_server_that_is_away_is_asked_with_growing_pauses(bots: list[Any], pauses: Pauses) -> None:
    closed = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    closed.server_close()
    bot, plain, root = bots[0], pauses.sleep, bots[0].root
    bot.root = f"http://127.0.0.1:{closed.server_port}/api/v1/"

    def sleep(seconds: float) -> None:
        plain(seconds)
        if len(pauses) == 8:
            bot.root = root

    pauses.sleep = sleep  # type: ignore[method-assign]
    assert bot.ask("turns") == {"turns": []}
    assert len(pauses) == 8
    assert pauses[:6] == sorted(pauses[:6])
    assert 60 <= max(pauses) <= 61
