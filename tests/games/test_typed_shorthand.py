"""`up to 7` and `bid up to 7` mean the same when typed; records hold only notation."""

from __future__ import annotations

from typing import Any

import pytest

from games.chance import Chance
from games.contract import GameError
from games.orders import read_orders, spell_out, write_orders
from games.registry import game

SEED = "7" * 64


def deal(slug: str, *texts: str) -> Any:
    rules = game(slug).rules
    options = {option.name: option.values_for(3)[0] for option in rules.meta.options}
    state = rules.deal(seats=3, options=options, chance=Chance(SEED, "deal"))
    for ply, text in enumerate(texts):
        seat = min(rules.waiting_on(state))
        state = rules.apply(state, seat, rules.parse(state, seat, text), Chance(SEED, f"ply {ply}")).state
    return state


def typed(slug: str, state: Any, seat: int, text: str, *, is_sealed: bool = False) -> str:
    entry = game(slug)
    written = spell_out(entry, state, seat, text)
    return write_orders(read_orders(entry, state, seat, written, is_sealed=is_sealed))


@pytest.mark.parametrize("text", ["up to 7", "bid up to 7", "Bid  Up To 7.", "BID UP TO\u00a07"])
def test_jewellers_reads_both_as_the_same_order(text: str) -> None:
    state = deal("jewellers", "draw medium")
    for seat in range(3):
        assert typed("jewellers", state, seat, text, is_sealed=True) == "up to 7"
        assert typed("jewellers", state, seat, f"{text} else pass") == "up to 7 else pass"


def test_gem_writes_out_the_bids_that_it_may_take() -> None:
    state = deal("gem")
    other = (state.oya + 1) % 3
    assert (
        typed("gem", state, other, "bid up to 3 else pass", is_sealed=True)
        == "bid 1 else bid 2 else bid 3 else pass"
    )
    assert typed("gem", state, other, "up to 99", is_sealed=True).endswith("bid 5 else bid 6")
    assert typed("gem", state, state.oya, "up to 3", is_sealed=True) == "bid 3"
    opened = deal("gem", "bid 2")
    assert spell_out(game("gem"), opened, other, "up to 5") == "bid 3"
    assert spell_out(game("gem"), opened, other, "up to 2") == "bid 2", "which is refused as too low"


@pytest.mark.parametrize("slug", ["gem", "jewellers"])
def test_records_and_rules_do_not_read_it(slug: str) -> None:
    state = deal(slug, *["draw medium"] * (slug == "jewellers"))
    with pytest.raises(GameError):
        game(slug).rules.parse(state, min(game(slug).rules.waiting_on(state)), "bid up to 7")


def test_everything_else_stays_as_it_was_typed() -> None:
    state = deal("gem")
    for text in (
        "bid 3 else pass; take SR",
        "always\npass",
        "up",
        "up to",
        "up to x",
        "bid up to",
        "say up to 5",
        "",
    ):
        assert spell_out(game("gem"), state, 0, text) == text
