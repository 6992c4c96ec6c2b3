"""Moves of Nim by programs, beside boardgame.io with its file store: the same game, clients and minutes."""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from games.chance import Chance
from games.contract import Seat
from gemserver.lib import clock
from gemserver.matches.models import Move
from gemserver.matches.offered.offered_games import offer_games
from tests.builders import make_match, make_user
from tests.load.figures import Figure, Say
from tests.load.generators import Generator, alternate, generating, read_rate
from tests.load.moves import AnyRules, make_token_headers, write_request, write_script, write_scripts
from tests.load.servers import HOST, SITE, environment, responds, serving
from tests.services.daemons import Redis
from tests.services.processes import Process, free_port, wait_for
from tests.strangers import installed, write_game

PACKAGES = ("boardgame.io@0.50.2", "node-persist@3.1.3", "koa-compose@4.1.0")
"""With its file store, and the last of the middleware with which its lobby answers: 4.2 leaves out what comes later."""
HERE = Path(__file__).with_name("peer")
HEAPS = (40, 50, 60)
"""Of which one stone at a time is taken, so that matches are as long as those of the five games."""
MATCHES, PLAYERS = 100, 50
CLIENTS, SECONDS, WARM_UP = 8, 2, 2
WHAT = "moves/s of Nim by the API"


def measure(say: Say, folder: Path) -> list[Figure]:
    """Eight clients, each server for some seconds in turn."""
    peer = folder / "boardgame"
    if refusal := _install(peer):
        say(f"boardgame.io cannot be had here: {refusal}")
        return [Figure(WHAT, math.nan, "boardgame.io, not to be had here", math.nan, "/s")]
    with ExitStack() as stack:
        generators = {
            "ours": stack.enter_context(_ours(folder, peer)),
            "theirs": stack.enter_context(_theirs(peer)),
        }
        for generator in generators.values():
            generator.run(f"closed {CLIENTS} {WARM_UP}")
        rates = alternate(generators, f"closed {CLIENTS} {SECONDS}", read_rate)
        sent = sum(generators["ours"].sent)
        made = Move.objects.filter(source=Move.Source.API).count()
        if made != sent:
            raise RuntimeError(f"{sent} moves were acknowledged, and {made} are there")
    ours, theirs = (statistics.median(rates[name]) for name in ("ours", "theirs"))
    return [Figure(WHAT, ours, "boardgame.io with its file store", theirs, "/s", "at least", 1)]


def _install(peer: Path) -> str:
    """Install boardgame.io beside our files for it; return why it cannot be, or nothing."""
    shutil.copytree(HERE, peer)
    if not (node := shutil.which("node")) or not (npm := shutil.which("npm")):
        return "Node or npm is missing"
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", *PACKAGES], cwd=peer, capture_output=True, text=True
    )
    if done.returncode:
        return done.stderr.strip().rpartition("\n")[2]
    found = subprocess.run([node, "-e", "require('boardgame.io/server')"], cwd=peer, capture_output=True)
    return "" if found.returncode == 0 else "Node cannot load it"


@contextmanager
def _ours(folder: Path, peer: Path) -> Iterator[Generator]:
    """Serve Nim as the package of a stranger, on gunicorn, PostgreSQL and Redis."""
    call_command("migrate", verbosity=0)
    package = write_game(folder)
    rules = next(package.glob("*/rules.py"))
    rules.write_text(rules.read_text().replace("HEAPS = (3, 4, 5)", f"HEAPS = {HEAPS}"), encoding="utf-8")
    with ExitStack() as stack:
        slug = stack.enter_context(installed(package))
        settings.GAMES = [slug]
        offer_games()
        users = [make_user(f"p{number}") for number in range(PLAYERS)]
        tokens = {user.pk: make_token_headers(user) for user in users}
        matches = [
            make_match(slug, [users[number % PLAYERS], users[(number + 1) % PLAYERS]], now=clock.now())
            for number in range(MATCHES)
        ]
        scripts = [write_script(match, tokens, write_request, _take_one) for match in matches]
        redis = Redis(folder)
        stack.callback(redis.stop)
        redis.start()
        given = environment(
            os.environ["DATABASE_URL"], redis.url, API_RATE="1000000", GAMES=slug, PYTHONPATH=str(package)
        )
        port = stack.enter_context(serving("site", SITE, given, folder))
        command = ["node", str(peer / "forms.js"), write_scripts(folder, "nim", scripts), str(port), HOST]
        yield stack.enter_context(generating(command))


def _take_one(rules: AnyRules, state: Any, seat: Seat, chance: Chance) -> Any:
    return next(iter(rules.legal_moves(state, seat)))


@contextmanager
def _theirs(peer: Path) -> Iterator[Generator]:
    port = free_port()
    environ: Mapping[str, str] = {**os.environ, "HEAPS": ",".join(map(str, HEAPS))}
    server = Process(
        "boardgame",
        ["node", "server.js", str(port), str(peer / "matches")],
        peer,
        environment=environ,
        cwd=peer,
    )
    server.start()
    try:
        wait_for("boardgame.io", lambda: responds(port), seconds=60, watched=[server])
        with generating(["node", str(peer / "clients.js"), str(port)], environ) as generator:
            yield generator
    finally:
        server.stop()
