"""Once nothing is hidden from a reader, what follows is imagined once for all such readers."""

from __future__ import annotations

from typing import Any
from unittest import mock

from games.chance import Chance
from games.hidden import SAMPLES, Ply, shows_hidden
from games.match import Match

SEATS = 4


def test_where_nothing_is_hidden_all_readers_share_what_is_imagined() -> None:
    match = Match.new("florentine", seats=SEATS, seed="example")
    rules, chance = match.game.rules, Chance("example", "moves")
    while any(rules.resample(match.state, reader, chance) != match.state for reader in range(SEATS)):
        [seat] = rules.waiting_on(match.state)
        match.play(rules.write(rules.random_move(match.state, seat, chance)))
    [seat] = rules.waiting_on(match.state)
    move = Ply(seat, rules.random_move(match.state, seat, chance), chance)
    apply, played = type(rules).apply, list[Any]()

    def count(*given: Any) -> Any:
        played.append(given)
        return apply(*given)

    with mock.patch.object(type(rules), "apply", count):
        assert not shows_hidden(rules, match.state, [move], SEATS)
    assert len(played) == 1 + SAMPLES
