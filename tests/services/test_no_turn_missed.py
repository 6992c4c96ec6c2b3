"""No turn is missed: by a program that asks while hundreds of moves are committed, nor by one that was away for all."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

import pytest

from tests.services.conftest import Services
from tests.services.site import ROOT
from tests.services.test_waiting import Asking, Reply, waiting

pytestmark = pytest.mark.slow

WRITERS, MATCHES, TURNS = 3, 8, 40
"""Processes that play at the same time, the matches and turns of each, of which a tenth last long enough to be told."""
SEAT = f"""
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import make_token
from tests.builders import make_match
from tests.services.table import make_player

poll = make_player("poll")
for number in range({WRITERS * MATCHES}):
    other = make_player(f"rival{{number}}")
    print(make_match("gembatan", [poll, other], now=clock.now()).code)
print(make_token(poll, "t", ("read",), days=None, now=clock.now())[1])
"""


@dataclass
class Poller:
    """Asks again and again, waiting for what it does not know; keeps what it was told and when."""

    program: Asking
    told: list[tuple[float, float, set[tuple[str, int]]]] = field(default_factory=list)
    statuses: set[int] = field(default_factory=set)
    is_over: bool = False

    def run(self) -> None:
        etag, known = "", set()
        while not self.is_over:
            began = time.time()
            reply = self.program.ask(etag, wait=2 if len(self.told) % 2 else 0)
            self.statuses.add(reply.status)
            if reply.status == 200:
                etag, known = reply.etag, turns_in(reply)
            self.told.append((began, time.time(), known))


def turns_in(reply: Reply) -> set[tuple[str, int]]:
    return {(turn["match"], turn["prompt_ply"]) for turn in json.loads(reply.body)["turns"]}


def test_no_turn_is_missed_while_hundreds_of_moves_are_committed(migrated: Services) -> None:
    *codes, token = migrated.run(SEAT).split()
    with waiting(migrated, API_RATE="1000000") as (_process, port):
        program = Asking(port, token)
        away = program.ask()
        poller = Poller(program)
        asking = threading.Thread(target=poller.run)
        asking.start()
        writers = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.services.rush", str(TURNS), *codes[number::WRITERS]],
                cwd=ROOT,
                env={"DJANGO_SETTINGS_MODULE": "gemserver.settings", **migrated.environment},
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(WRITERS)
        ]
        lines = [line.split() for writer in writers for line in writer.communicate()[0].splitlines()]
        poller.is_over = True
        asking.join()
        back = program.ask(away.etag)
    assert poller.statuses == {200, 304}
    turns = [((code, int(ply)), float(asked), float(ended)) for code, ply, asked, ended in lines]
    assert len(turns) >= WRITERS * TURNS
    seen = 0
    for turn, asked, ended in turns:
        for began, answered, known in poller.told:
            if asked <= began and answered <= ended:
                assert turn in known, (
                    f"{turn} was asked from {asked} to {ended}, not told at {began}–{answered}"
                )
                seen += 1
    assert seen > len(turns) / 10
    open_turns = {turn for turn, _asked, ended in turns if ended == float("inf")}
    assert open_turns <= turns_in(back), "who was away for all of it is told all that waits now"
    assert {code for code, _ply in turns_in(back)} <= set(codes)
