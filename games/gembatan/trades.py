"""Trades: all of them in order, the default one, a random one (RULES.md, paragraphs 16 to 18)."""

from __future__ import annotations

from collections.abc import Iterator

from games.chance import Chance
from games.gembatan.state import Codes, State, Trade


def can_trade(state: State) -> bool:
    """Return whether the seat to act has a piece of a kind whose tray is not empty."""
    most_gems, most_tiles = count_tradable(state)
    return most_gems + most_tiles > 0


def count_tradable(state: State) -> tuple[int, int]:
    """Return the most gems and the most tiles that the seat to act can exchange."""
    gems, tiles = state.gem_hands[state.turn], state.tile_hands[state.turn]
    return min(len(gems), len(state.gem_tray)), min(len(tiles), len(state.tile_tray))


def list_trades(state: State) -> Iterator[Trade]:
    """Every trade of the seat to act, in ASCII order of the texts."""
    most_gems, most_tiles = count_tradable(state)
    tile_sets = tuple(_list_sets((), state.tile_hands[state.turn], most_tiles))
    yield from _list_trades((), state.gem_hands[state.turn], most_gems, tile_sets)


def _list_trades(gems: Codes, later: Codes, most: int, tile_sets: tuple[Codes, ...]) -> Iterator[Trade]:
    """The trades that exchange these gems and perhaps later ones: more gems come before tiles in a text."""
    if gems:
        yield Trade(gems, ())
    if len(gems) < most:
        for place, gem in enumerate(later):
            if gem not in later[:place]:
                yield from _list_trades((*gems, gem), later[place + 1 :], most, tile_sets)
    for tiles in tile_sets:
        yield Trade(gems, tiles)


def _list_sets(chosen: Codes, later: Codes, most: int) -> Iterator[Codes]:
    """Every set of one to `most` codes that begins with the chosen ones; each set of equal codes once."""
    if chosen:
        yield chosen
    if len(chosen) < most:
        for place, code in enumerate(later):
            if code not in later[:place]:
                yield from _list_sets((*chosen, code), later[place + 1 :], most)


def choose_trade(state: State) -> Trade:
    """The first gem in ASCII order, or the first tile when the gem tray is empty."""
    if count_tradable(state)[0]:
        return Trade(state.gem_hands[state.turn][:1], ())
    return Trade((), state.tile_hands[state.turn][:1])


def list_whole_trades(state: State) -> list[Trade]:
    """All gems, all tiles, or both, as many of them as the trays hold."""
    most_gems, most_tiles = count_tradable(state)
    gems = state.gem_hands[state.turn][:most_gems]
    tiles = state.tile_hands[state.turn][:most_tiles]
    trades = (Trade(gems, ()), Trade((), tiles), Trade(gems, tiles))
    return [trade for trade in dict.fromkeys(trades) if trade != Trade((), ())]


def draw_trade(state: State, chance: Chance) -> Trade:
    """Any trade; the seat to act has one."""
    most_gems, most_tiles = count_tradable(state)
    counts = 1 + chance.below((most_gems + 1) * (most_tiles + 1) - 1)
    gems, tiles = divmod(counts, most_tiles + 1)
    return Trade(
        _draw_codes(state.gem_hands[state.turn], gems, chance),
        _draw_codes(state.tile_hands[state.turn], tiles, chance),
    )


def _draw_codes(codes: Codes, count: int, chance: Chance) -> Codes:
    left = list(codes)
    return tuple(sorted([left.pop(chance.below(len(left))) for _ in range(count)]))
