"""The recorded matches show every rule that scores or ends something, and agree with the referee."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from games.chance import NO_SEED, Chance
from games.contract import Event
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from games.record import RESIGN, MoveLine, read_record
from games.replay import begin
from tests.games.gemessengers.referee import Referee

RECORDS = sorted((Path(__file__).parents[3] / "games" / "gemessengers" / "records").glob("*.match"))


def replay_positions(file: Path) -> Iterator[tuple[MoveLine, State, State, tuple[Event, ...]]]:
    """Every line with the position before, the position after and the events."""
    record = read_record(file.read_text(encoding="utf-8"))
    state = begin(record).state
    for ply, line in enumerate(record.moves, start=1):
        assert isinstance(line, MoveLine)
        if line.text == RESIGN:
            continue
        move = RULES.parse(state, line.seat, line.text)
        step = RULES.apply(state, line.seat, move, Chance(record.seed or NO_SEED, f"ply {ply}"))
        yield line, state, step.state, step.events
        state = step.state


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_the_referee_agrees_with_a_record(file: Path) -> None:
    first = begin(read_record(file.read_text(encoding="utf-8"))).state
    referee = Referee(RULES.write_deal(first), len(first.hands))
    for line, before, after, _ in replay_positions(file):
        assert {RULES.write(move) for move in RULES.legal_moves(before, line.seat)} == referee.legal(
            line.seat
        )
        referee.play(line.seat, line.text)
        assert RULES.waiting_on(after) == referee.waiting()
        assert list(RULES.standing(after)) == referee.standing()


def find_features() -> set[str]:
    """Collect the features of the rules that occur somewhere in the records."""
    found = set()
    for file in RECORDS:
        for line, before, after, events in replay_positions(file):
            found |= {f"event {event.kind}" for event in events}
            found |= {f"guild row of {len(row)}" for row in after.guild}
            for event in events:
                if event.kind == "proclamation":
                    found.add(f"named {event.data['named']}")
                    found.add(f"token {event.data['token']}")
            if before.sealed.of(line.seat):
                found.add("changed pick")
            if not after.pile:
                found.add("empty draw pile")
            if not any(after.tokens):
                found.add("no token left")
            outcome = RULES.outcome(after)
            if outcome:
                found.add("sole winner" if outcome.ranks.count(1) == 1 else "shared victory")
    return found


def test_the_records_show_every_ending_and_bonus() -> None:
    assert find_features() >= {
        "event picked",
        "event pick",
        "event gem",
        "event fixed",
        "event finished",
        "event proclamation",
        "event token",
        "event turn",
        "event score",
        "event round",
        "event over",
        "guild row of 1",
        "guild row of 2",
        "guild row of 3",
        "named True",
        "named False",
        "token True",
        "token False",
        "changed pick",
        "empty draw pile",
        "no token left",
        "sole winner",
        "shared victory",
    }
