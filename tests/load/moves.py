"""Moves over HTTP, as browsers and programs send them, beside bare views behind the same checks, and behind none."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core.management import call_command

from games import registry
from games.chance import Chance
from games.contract import Rules, Seat
from games.course import Course
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.people.make_token import make_token
from gemserver.matches.models import Match, Move
from gemserver.matches.verify import first_difference
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.load.figures import Figure, Say
from tests.load.generators import Generator, alternate, generating, read_p95, read_rate
from tests.load.servers import BARE, HOST, ROOT, SITE, STACKED, environment, serving
from tests.services.daemons import Redis

MATCHES, PLAYERS = 200, 100
SECONDS = 2
CLIENTS = 8
WARM_UP = 1
FORM = "application/x-www-form-urlencoded"
CSRF = "c" * 32
"""Any secret will do, as long as form and cookie have the same."""

SERVERS = {"site": SITE, "api": SITE, "stacked": STACKED, "token": STACKED, "bare": BARE}

Sent = tuple[str, dict[str, str], str, int]
Script = list[Sent]
Write = Callable[[Match, dict[str, str], str, int], Sent]
AnyRules = Rules[Any, Any, Any]
Choose = Callable[[AnyRules, Any, Seat, Chance], Any]


def measure(say: Say, folder: Path) -> list[Figure]:
    """200 matches of all five games for each way in, eight clients, each server for some seconds in turn."""
    call_command("migrate", verbosity=0)
    users = [make_user(f"p{n}") for n in range(PLAYERS)]
    sessions = {user.pk: _sign_in(user, settings.AUTHENTICATION_BACKENDS[0]) for user in users}
    elsewhere = [_sign_in(user, "django.contrib.auth.backends.ModelBackend") for user in users]
    tokens = {user.pk: make_token_headers(user) for user in users}
    matches = [begin(users, number) for number in range(MATCHES)]
    by_program = [begin(users, number) for number in range(MATCHES)]
    with ExitStack() as stack:
        redis = Redis(folder)
        stack.callback(redis.stop)
        redis.start()
        given = environment(os.environ["DATABASE_URL"], redis.url, API_RATE="1000000")
        _make_things(given)
        scripts = {
            "site": [write_script(match, sessions, _write_form) for match in matches],
            "api": [write_script(match, tokens, write_request) for match in by_program],
            "stacked": _write_bare_scripts("/signed-in/%d/", elsewhere),
            "token": _write_bare_scripts("/by-token/%d/", list(tokens.values())),
            "bare": _write_bare_scripts("/bare/%d/", [{"Content-Type": FORM}]),
        }
        generators = {
            name: stack.enter_context(_sending(name, what, given, scripts[name], folder))
            for name, what in SERVERS.items()
        }
        for generator in generators.values():
            generator.run(f"closed {CLIENTS} {WARM_UP}")
        rates = alternate(generators, f"closed {CLIENTS} {SECONDS}", read_rate)
        sent = sum(generators["site"].sent)
        rate = round(statistics.median(rates["stacked"]) / 2)
        late = alternate(generators, f"open {rate} {SECONDS}", read_p95)
    _check(matches, Move.Source.WEB, sum(generators["site"].sent), say)
    _check(by_program, Move.Source.API, sum(generators["api"].sent), say)
    say(f"{sent} moves by {CLIENTS} clients in {MATCHES} matches on the web while they were counted")
    stacked, alone, token = (
        "the bare view, same middleware",
        "the bare view without any middleware",
        "the bare view, same look at a token",
    )
    return [
        _compare("moves/s over HTTP, 200 matches", rates, ("site", "stacked"), stacked, "/s", 0.75),
        _compare("the same", rates, ("site", "bare"), alone, "/s", None),
        _compare("moves/s by the API, 200 matches", rates, ("api", "token"), token, "/s", 0.75),
        _compare("the same", rates, ("api", "site"), "the form of a browser", "/s", None),
        _compare(f"p95 of a move at {rate}/s", late, ("site", "stacked"), stacked, "ms", 1.7),
        _compare("the same", late, ("site", "bare"), alone, "ms", None),
        _compare(f"p95 of a move by the API at {rate}/s", late, ("api", "token"), token, "ms", None),
    ]


def _compare(
    what: str,
    found: dict[str, list[float]],
    pair: tuple[str, str],
    beside: str,
    unit: str,
    aim: float | None,
) -> Figure:
    ours, theirs = (statistics.median(found[name]) for name in pair)
    return Figure(what, ours, beside, theirs, unit, "at least" if unit == "/s" else "at most", aim)


@contextmanager
def _sending(
    name: str, what: tuple[str, str], given: Any, scripts: list[Script], folder: Path
) -> Iterator[Generator]:
    with (
        serving(name, what, given, folder) as port,
        generating(
            [sys.executable, "-m", "tests.load.clients", write_scripts(folder, name, scripts), str(port)]
        ) as generator,
    ):
        yield generator


def write_scripts(folder: Path, name: str, scripts: list[Script]) -> str:
    """Write the forms into a file, and return its path."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(scripts), encoding="utf-8")
    return str(file)


def _sign_in(user: User, backend: str) -> dict[str, str]:
    """The headers of a form in a session in which this user was signed in by this backend."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = backend
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return {
        "Content-Type": FORM,
        "Origin": f"https://{HOST}",
        "Cookie": f"sessionid={session.session_key}; csrftoken={CSRF}",
    }


def make_token_headers(user: User) -> dict[str, str]:
    """The headers of a request with a new token of this user."""
    _row, text = make_token(user, "load", ("play",), days=None, now=clock.now())
    return {"Content-Type": "application/json", "Authorization": f"Bearer {text}"}


def begin(users: Sequence[User], number: int) -> Match:
    """Start a match of two of them; games take turns."""
    games = list(registry.GAMES)
    one = 2 * number % len(users)
    players = [users[one], users[(one + 1 + number // len(users)) % len(users)]]
    control = TimeControl.per_move(timedelta(days=3))
    return make_match(games[number % len(games)], players, time_control=control, now=clock.now())


def choose_at_random(rules: AnyRules, state: Any, seat: Seat, chance: Chance) -> Any:
    """Any legal move."""
    return rules.random_move(state, seat, chance)


def write_script(
    match: Match, headers: dict[int, dict[str, str]], write: Write, choose: Choose = choose_at_random
) -> Script:
    """The requests of a match from its deal to its end: each prompt with the legal move that is chosen."""
    seats = match.read_seats()
    course = Course(
        game=registry.game(match.game),
        state=replay.position(match),
        ply=match.ply,
        is_sealed=False,
        seed=replay.seed(match, seats),
    )
    prompts = {seat.index: seat.prompt_ply for seat in seats if seat.is_waiting}
    chance = Chance("load", match.code)
    script: Script = []
    while asked := course.asked:
        seat = min(asked)
        move = choose(course.game.rules, course.state, seat, chance)
        user = seats[seat].user
        assert user is not None
        script.append(write(match, headers[user.pk], course.game.rules.write(move), prompts[seat]))
        course.play(seat, move)
        for _happening in course.run():
            pass
        for other in course.asked:
            if other == seat or other not in asked:
                prompts[other] = course.ply + 1
    return script


def _write_form(match: Match, headers: dict[str, str], text: str, prompt: int) -> Sent:
    """A move as the page of its match sends it."""
    body = {"csrfmiddlewaretoken": CSRF, "text": text, "prompt_ply": prompt, "request_id": str(uuid4())}
    return match.get_absolute_url(), headers, urlencode(body), 302


def write_request(match: Match, headers: dict[str, str], text: str, prompt: int) -> Sent:
    """A move as a program sends it."""
    key = {"Idempotency-Key": str(uuid4())}
    body = json.dumps({"text": text, "prompt_ply": prompt})
    return f"/api/v1/matches/{match.code}/move", headers | key, body, 200


def _write_bare_scripts(path: str, headers: Sequence[dict[str, str]]) -> list[Script]:
    body = urlencode({"csrfmiddlewaretoken": CSRF, "text": "bid 5", "prompt_ply": 1, "request_id": uuid4()})
    return [
        [(path % (number + 1), headers[number % len(headers)], body, 200)] * 400 for number in range(MATCHES)
    ]


def _make_things(given: Any) -> None:
    """Make the tables and rows of the bare project, in the same database."""
    made = (
        "import django; django.setup()\n"
        "from django.core.management import call_command; call_command('migrate', run_syncdb=True, verbosity=0)\n"
        "from tests.load.bare.models import Thing\n"
        f"Thing.objects.bulk_create(Thing() for _ in range({MATCHES}))\n"
    )
    environ = {**given, "DJANGO_SETTINGS_MODULE": BARE[1]}
    subprocess.run([sys.executable, "-c", made], cwd=ROOT, env=environ, check=True)


def _check(matches: Sequence[Match], source: Move.Source, sent: int, say: Say) -> None:
    """Check that every answered form has made its move, and that every match still follows from its moves."""
    made = Move.objects.filter(match__in=matches, source=source).count()
    if made != sent:
        raise RuntimeError(f"{sent} moves were acknowledged, and {made} are there")
    for match in Match.objects.filter(pk__in=[match.pk for match in matches[::10]]):
        if difference := first_difference(match):
            raise RuntimeError(f"{match}: {difference}")
    told = OutboxMessage.objects.filter(kind="turn").count()
    say(
        f"{made} moves were made ({source.label}), all of those acknowledged; {told} mails about turns are queued"
    )
