"""The moves that are suggested for a ready reply: good ones of every kind, in no order that would tell the best."""

from __future__ import annotations

from games.chance import NO_SEED, Chance
from games.match import Match
from games.suggesting import suggest_few

FEW = 3
LONGEST = 60


def test_a_move_of_each_kind_is_suggested() -> None:
    """In an opening of Florentine whatever looks best at once may be a discard."""
    for number in range(5):
        match = Match.new("florentine", seats=2, seed=f"suggesting {number}")
        match.play(match.legal(most=1)[0])
        assert match.turn is not None
        moves = suggest_few(match.game, match.state, match.turn, Chance(NO_SEED, "suggesting"), FEW, LONGEST)
        assert {move.split()[0] for move in moves} == {"place", "discard"}
        assert len(moves) == len({tuple(move.split()[:2]) for move in moves}) == FEW
        assert moves == sorted(moves)
        assert all(len(move) <= LONGEST for move in moves)
        for move in moves:
            match.play(move)
            match.undo()
