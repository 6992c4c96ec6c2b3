"""Programs play every game by the API alone: turns, match, steps, move."""

from __future__ import annotations

import random

import pytest
from django.conf import settings

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.api.programs import Program
from tests.builders import make_match, make_user
from tests.quick import first

pytestmark = pytest.mark.django_db

FEW = 12
"""Turns of a quick test; the slow one plays to the end."""

TABLES = [
    *((game, {}) for game in settings.GAMES),
    ("gem", {"pace": "sealed"}),
    ("jewellers", {"pace": "sealed"}),
]


def find_move(program: Program, code: str, dice: random.Random) -> tuple[str, int]:
    """A legal move, listed or built step by step, and the question that it answers."""
    asked = program.get(f"matches/{code}").json()["asked"]
    if asked["moves"]:
        return dice.choice(asked["moves"]), asked["prompt_ply"]
    begun = ""
    while True:
        steps = program.get(f"matches/{code}/steps?begun={begun.replace('+', '%2B')}").json()["steps"]
        if not steps:
            return begun, asked["prompt_ply"]
        step = dice.choice(steps)
        begun = step["text"]
        if step["complete"]:
            return begun, asked["prompt_ply"]


def play_on(players: list[User], match: Match, most: int) -> int:
    """Let the programs play this number of turns, or to the end; return how many they played."""
    dice = random.Random(17)
    programs = [Program.of(player) for player in players]
    played = 0
    while played < most and Match.objects.get(pk=match.pk).is_running:
        waiting = [(program, turn) for program in programs for turn in program.get("turns").json()["turns"]]
        assert waiting, "a running match waits for somebody"
        program, turn = waiting[0]
        text, prompt = find_move(program, match.code, dice)
        assert prompt == turn["prompt_ply"]
        answer = program.post(f"matches/{match.code}/move", {"text": text, "prompt_ply": prompt})
        assert answer.status_code == 200, (text, answer.content)
        played += 1
    return played


@pytest.mark.parametrize(("game", "options"), first(2, TABLES), ids=str)
def test_programs_play_every_game(game: str, options: dict[str, str]) -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(game, players, options=options, server_part="7" * 64, now=clock.now())
    assert play_on(players, match, FEW) == FEW
    shown = Program.of(players[0]).get(f"matches/{match.code}").json()
    assert shown["view"]["reader"] == 0
    assert shown["board"]
    stranger = Program.of(make_user("dee")).get(f"matches/{match.code}").json()
    assert stranger["view"]["reader"] is None
    assert stranger["asked"] is None


@pytest.mark.slow
@pytest.mark.parametrize("game", settings.GAMES)
def test_programs_play_every_game_to_the_end(game: str) -> None:
    players = [make_user(name) for name in ("ana", "ben")]
    match = make_match(game, players, server_part="7" * 64, now=clock.now())
    play_on(players, match, 2000)
    shown = Program.of(players[0]).get(f"matches/{match.code}").json()
    assert shown["status"] == "finished"
    assert {person["rank"] for person in shown["seats"]} <= {1, 2}
    record = Program.of(players[1]).get(f"matches/{match.code}/record").json()["record"]
    assert "Result:" in record
