"""Checks and plays Gembatan's moves; paragraph numbers refer to RULES.md.

The caller has checked that the match runs and that the seat to act is the one that moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, assert_never

from games.chance import Chance
from games.contract import Event, IllegalMove, Json, Seat, Step
from games.fields import replace
from games.gembatan.components import CODE_OF_PAIR, FACINGS, FLAT, HAND, IDLE_ROUNDS, LAID, SIDES
from games.gembatan.grid import NO_TILE, keep_grid, list_neighbours, name_point
from games.gembatan.notation import write_cell
from games.gembatan.scoring import Score, count_points, rank_points, score_play
from games.gembatan.state import Codes, GemStep, LaidGem, LaidTile, State, Steps, TileStep, Trade
from games.gembatan.trades import can_trade
from games.gembatan.turn import Turn, begin_turn, list_steps

T = TypeVar("T")


def play_steps(state: State, steps: Steps) -> Step[State]:
    """Play steps: all are checked before anything counts, then scored together (paragraphs 9 to 15, 20)."""
    if not steps:
        raise IllegalMove("empty-play", "A play has at least one step. Lay a tile, or put a gem in a socket.")
    turn = begin_turn(state, state.turn)
    for step in steps:
        check_step(turn, step)
        turn = turn.make(step)
    score = score_play(turn.grid.gems, turn.filled)
    seat = state.turn
    drawn_tiles = state.tile_tray[: HAND - len(turn.tiles)]
    drawn_gems = state.gem_tray[: HAND - len(turn.gems)]
    tiles = tuple(
        [LaidTile(step.cell, step.tile, step.facing) for step in steps if isinstance(step, TileStep)]
    )
    gems = tuple([LaidGem(point, turn.grid.gems[point]) for point in turn.filled])
    after = replace(
        state,
        turn=_find_next(state),
        tiles=state.tiles + tiles,
        gems=state.gems + gems,
        latest=(len(tiles), len(gems)),
        tile_hands=_replace_at(state.tile_hands, seat, _sort(turn.tiles + drawn_tiles)),
        gem_hands=_replace_at(state.gem_hands, seat, _sort(turn.gems + drawn_gems)),
        tile_tray=state.tile_tray[len(drawn_tiles) :],
        gem_tray=state.gem_tray[len(drawn_gems) :],
        points=_replace_at(state.points, seat, state.points[seat] + score.points),
        idle=0,
    )
    keep_grid(after.tiles, after.gems, turn.grid)
    events = [Event("play", seat, _describe_play(steps, score))]
    if drawn_tiles or drawn_gems:
        events.append(Event("draw", seat, {"gems": _sort(drawn_gems), "tiles": _sort(drawn_tiles)}))
    return _end_turn(after, events)


def check_step(turn: Turn, step: TileStep | GemStep) -> None:
    """Raise IllegalMove for a step that is not allowed now."""
    match step:
        case TileStep():
            _check_tile(turn, step)
            _check_hand("gem", (step.gem,), turn.gems)
            place = SIDES.index(step.side)
            own, border = LAID[step.tile][step.facing][place], turn.grid.borders[step.cell][place]
            if own == FLAT or border == NO_TILE:
                raise IllegalMove(
                    "no-socket",
                    "On side {side} of {cell} this tile makes no socket. Name a side where two cutouts meet.",
                    side=step.side,
                    cell=write_cell(step.cell),
                )
            _check_fit(step.gem, own + border)
        case GemStep(gem, point):
            _check_hand("gem", (gem,), turn.gems)
            cell, side = name_point(point)
            borders = turn.grid.socket(point)
            if borders is None:
                raise IllegalMove(
                    "no-socket",
                    "There is no socket on side {side} of {cell}. Name a place where two cutouts meet.",
                    side=side,
                    cell=write_cell(cell),
                )
            if point in turn.grid.gems:
                raise IllegalMove(
                    "filled",
                    "The socket on side {side} of {cell} holds a gem already. Choose an empty one.",
                    side=side,
                    cell=write_cell(cell),
                )
            _check_fit(gem, borders)
        case _:
            assert_never(step)


def _check_tile(turn: Turn, step: TileStep) -> None:
    """Check the tile alone: in hand, on a free cell, connected, no socket cut off (paragraphs 9 to 11)."""
    _check_hand("tile", (step.tile,), turn.tiles)
    cell = step.cell
    if step.facing not in FACINGS[step.tile]:
        raise IllegalMove(
            "facing",
            "Tile {tile} does not face {facing}. It can face: {facings}.",
            tile=step.tile,
            facing=step.facing,
            facings=" ".join(FACINGS[step.tile]),
        )
    if cell in turn.grid.sides:
        raise IllegalMove(
            "taken", "A tile lies at {cell} already. Choose an empty cell.", cell=write_cell(cell)
        )
    borders = turn.grid.borders.get(cell)
    if borders is None:
        raise IllegalMove(
            "apart", "{cell} is not next to any tile. Choose a cell that is.", cell=write_cell(cell)
        )
    if turn.laid and not any(neighbour in turn.laid for neighbour in list_neighbours(cell)):
        raise IllegalMove(
            "not-connected",
            "{cell} is not next to a tile that you lay in this turn ({laid}). Choose a cell that is, or "
            "lay no more tiles.",
            cell=write_cell(cell),
            laid=" ".join([write_cell(laid) for laid in turn.laid]),
        )
    for side, own, border in zip(SIDES, LAID[step.tile][step.facing], borders, strict=True):
        if border != NO_TILE and (own == FLAT) != (border == FLAT):
            raise IllegalMove(
                "cut-off",
                "On side {side} of {cell} a flat side would meet a cutout. Turn the tile, or choose another "
                "cell.",
                side=side,
                cell=write_cell(cell),
            )


def _check_hand(kind: str, wanted: Sequence[str], hand: Codes) -> None:
    missing = [piece for piece in wanted if wanted.count(piece) > hand.count(piece)]
    if not missing:
        return
    piece, held = min(missing), " ".join(hand) or "-"
    if kind == "gem":
        raise IllegalMove(
            "not-in-hand",
            "You have no gem {piece} left for this. Choose among your gems: {held}.",
            piece=piece,
            held=held,
        )
    raise IllegalMove(
        "not-in-hand",
        "You have no tile {piece} left for this. Choose among your tiles: {held}.",
        piece=piece,
        held=held,
    )


def _check_fit(gem: str, borders: str) -> None:
    if gem != CODE_OF_PAIR.get(borders):
        raise IllegalMove(
            "colours-differ",
            "Gem {gem} does not fit: the borders of this socket are {one} and {other}.",
            gem=gem,
            one=borders[0],
            other=borders[1],
        )


def _describe_play(steps: Steps, score: Score) -> dict[str, Json]:
    return {
        "steps": [_describe_step(step) for step in steps],
        "points": score.points,
        "gems": score.gems,
        "lines": [{"colour": line.colour, "length": line.length} for line in score.lines],
        "bonus": score.bonus,
    }


def _describe_step(step: TileStep | GemStep) -> dict[str, Json]:
    match step:
        case TileStep(tile, cell, facing, gem, side):
            return {"tile": tile, "cell": write_cell(cell), "facing": facing, "gem": gem, "side": side}
        case GemStep(gem, point):
            cell, side = name_point(point)
            return {"gem": gem, "cell": write_cell(cell), "side": side}
        case _:
            assert_never(step)


def play_trade(state: State, move: Trade, chance: Chance) -> Step[State]:
    """Trade: set aside, draw, put back at random (paragraphs 16 and 17)."""
    seat = state.turn
    if not move.gems and not move.tiles:
        raise IllegalMove("empty-trade", "A trade takes at least one gem or tile. Name what you set aside.")
    _check_hand("gem", move.gems, state.gem_hands[seat])
    _check_hand("tile", move.tiles, state.tile_hands[seat])
    if len(move.gems) > len(state.gem_tray):
        raise IllegalMove(
            "tray-short", "The gem tray holds only {count}. Trade no more gems.", count=len(state.gem_tray)
        )
    if len(move.tiles) > len(state.tile_tray):
        raise IllegalMove(
            "tray-short", "The tile tray holds only {count}. Trade no more tiles.", count=len(state.tile_tray)
        )
    gem_hand, gem_tray, gems = _exchange(move.gems, state.gem_hands[seat], state.gem_tray, chance)
    tile_hand, tile_tray, tiles = _exchange(move.tiles, state.tile_hands[seat], state.tile_tray, chance)
    after = replace(
        state,
        gem_hands=_replace_at(state.gem_hands, seat, gem_hand),
        tile_hands=_replace_at(state.tile_hands, seat, tile_hand),
        gem_tray=gem_tray,
        tile_tray=tile_tray,
        idle=state.idle + 1,
        turn=_find_next(state),
    )
    aside = Event("trade", seat, {"gems": _sort(move.gems), "tiles": _sort(move.tiles)})
    return _end_turn(after, [aside, Event("draw", seat, {"gems": gems, "tiles": tiles})])


def _exchange(aside: Codes, hand: Codes, tray: Codes, chance: Chance) -> tuple[Codes, Codes, Codes]:
    """Exchange these pieces of one kind; return the hand, the tray, and the pieces drawn."""
    drawn = _sort(tray[: len(aside)])
    kept = list(hand)
    for code in aside:
        kept.remove(code)
    left = list(tray[len(aside) :])
    for code in sorted(aside):
        left.insert(chance.below(len(left) + 1), code)
    return _sort((*kept, *drawn)), tuple(left), drawn


def play_pass(state: State) -> Step[State]:
    """Pass, for a seat that can neither play nor trade (paragraph 19)."""
    seat = state.turn
    if next(list_steps(begin_turn(state, seat)), None) is not None:
        raise IllegalMove("can-play", "You can play, so you cannot pass. Play at least one step, or trade.")
    if can_trade(state):
        raise IllegalMove("can-trade", "You can trade, so you cannot pass. Name at least one gem or tile.")
    after = replace(state, idle=state.idle + 1, turn=_find_next(state))
    return _end_turn(after, [Event("pass", seat)])


def _find_next(state: State) -> Seat:
    """The seat whose turn follows."""
    return (state.turn + 1) % len(state.points)


def _end_turn(state: State, events: list[Event]) -> Step[State]:
    """End the turn, or the match (paragraphs 25 and 26)."""
    reason = _find_ending(state, len(state.points))
    if reason is None:
        return Step(state, tuple(events))
    scores = count_points(state)
    over = Event("over", None, {"reason": reason, "scores": scores, "ranks": rank_points(scores)})
    return Step(replace(state, is_over=True), (*events, over))


def _find_ending(state: State, seats: int) -> str | None:
    if not state.gem_tray:
        if not all(state.gem_hands):
            return "gems"
        if state.idle >= seats:
            return "round"
    return "rounds" if state.idle >= IDLE_ROUNDS * seats else None


def _sort(codes: Codes) -> Codes:
    return tuple(sorted(codes))


def _replace_at(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
