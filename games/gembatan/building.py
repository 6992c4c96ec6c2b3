"""Builds a move of Gembatan piece by piece: for forms, previews, the terminal and keyboards.

A step is chosen word by word (tile, cell, direction, gem and side); the choices are the beginnings of the texts
of the steps that are allowed, so none of them leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

from games.contract import Choice, InvalidMove, Message, Seat
from games.gembatan.components import HAND, LAID
from games.gembatan.grid import name_point
from games.gembatan.notation import parse, write, write_cell, write_step
from games.gembatan.play import check_step
from games.gembatan.state import GemStep, Pass, Play, State, TileStep, Trade
from games.gembatan.trades import can_trade, count_tradable
from games.gembatan.turn import Turn, begin_turn, list_steps, value_step
from games.prose import SIDE_WORDS
from games.reading import echo, refuse_long

JOIN = " + "
_STOPS = {"play": (2, 3, 4, 7), "gem": (2, 4)}
"""The numbers of words of a step after which a choice is made."""

_WrittenSteps: TypeAlias = Sequence[tuple[list[str], TileStep | GemStep]]


def build_steps(state: State, seat: Seat, partial: str) -> Sequence[Choice]:
    """The choices after `partial`. Raises GameError for one that cannot be read or is not allowed."""
    if state.is_over or seat != state.turn:
        return ()
    refuse_long(partial)
    words = partial.split()
    if not words:
        return tuple(_begin(state))
    if words == ["trade"]:
        return tuple(_choose_traded(state, Trade((), ())))
    *made, last = " ".join(words).split(JOIN)
    turn, steps = _go_on(state, tuple(made))
    choices = list(_choose_words(turn, steps, JOIN.join([*made, ""]), last.split()))
    if choices:
        return choices
    move = parse(state, seat, partial)
    match move:
        case Play(played):
            for step in played[len(made) :]:
                check_step(turn, step)
                turn = turn.make(step)
            return tuple(_begin_step(turn, _write_steps(turn), write(move) + JOIN))
        case Trade():
            return tuple(_choose_traded(state, move))
        case Pass():
            return ()


_latest: tuple[State | None, dict[Sequence[str], tuple[Turn, _WrittenSteps]]] = (None, {})


def _go_on(state: State, made: Sequence[str]) -> tuple[Turn, _WrittenSteps]:
    """The turn after these steps, and all that may come next.

    Cached for the latest position, as a page asks for sixty beginnings of one turn. It is compared by identity: hashing
    it costs more than the rest of a choice.
    """
    global _latest
    latest, known = _latest
    if latest is not state:
        known = {}
        _latest = (state, known)
    if made not in known:
        known[made] = _make_steps(state, made)
    return known[made]


def _make_steps(state: State, made: Sequence[str]) -> tuple[Turn, _WrittenSteps]:
    turn = begin_turn(state, state.turn)
    for text in made:
        move = parse(state, state.turn, text)
        if not isinstance(move, Play):
            raise InvalidMove("stands-alone", "“{text}” is no step of a play.", text=echo(text))
        for step in move.steps:
            check_step(turn, step)
            turn = turn.make(step)
    return turn, _write_steps(turn)


def _write_steps(turn: Turn) -> _WrittenSteps:
    """The steps that may come next with their words, in ASCII order of the texts."""
    written = sorted(((write_step(step), step) for step in list_steps(turn)), key=itemgetter(0))
    return [(text.split(), step) for text, step in written]


def _begin(state: State) -> Iterator[Choice]:
    choices = list(_begin_step(*_go_on(state, ()), ""))
    yield from choices
    if can_trade(state):
        yield Choice("trade", Message("Trade gems or tiles"), complete=False)
    elif not choices:
        yield Choice(write(Pass()), Message("Pass"), complete=True)


def _begin_step(turn: Turn, steps: _WrittenSteps, before: str) -> Iterator[Choice]:
    if len(turn.filled) < HAND:
        for word in _STOPS:
            yield from _choose_words(turn, steps, before, [word])


def _choose_words(turn: Turn, steps: _WrittenSteps, before: str, words: list[str]) -> Iterator[Choice]:
    """The choices of the next words of a step that begins with these `words`."""
    stop = next((stop for stop in _STOPS.get(words[0], ()) if stop > len(words)), 0)
    if not stop:
        return
    seen = set()
    for text, step in steps:
        if text[: len(words)] == words and (beginning := " ".join(text[:stop])) not in seen:
            seen.add(beginning)
            yield Choice(before + beginning, _label(turn, step, stop), complete=stop == len(text))


def _label(turn: Turn, step: TileStep | GemStep, stop: int) -> Message:
    if isinstance(step, GemStep) and stop == _STOPS["gem"][0]:
        return Message("Gem {gem} into an empty socket", {"gem": step.gem})
    if isinstance(step, TileStep) and stop < _STOPS["play"][-1]:
        return _label_tile(step, stop)
    gem, points = step.gem, value_step(turn, step)
    if isinstance(step, TileStep):
        return Message(
            "Gem {gem} on its {side} side (this turn: {points})",
            {"gem": gem, "points": points},
            {"side": SIDE_WORDS[step.side]},
        )
    cell, side = name_point(step.point)
    return Message(
        "Gem {gem} on the {side} side of {cell} (this turn: {points})",
        {"gem": gem, "cell": write_cell(cell), "points": points},
        {"side": SIDE_WORDS[side]},
    )


def _label_tile(step: TileStep, stop: int) -> Message:
    tile, place, _ = _STOPS["play"][:3]
    if stop == tile:
        return Message("Tile {tile}", {"tile": step.tile})
    if stop == place:
        x, y = step.cell
        return Message("at {x},{y}", {"x": x, "y": y})
    return Message(
        "facing {facing} ({sides})",  # clockwise from north
        {"sides": " ".join(LAID[step.tile][step.facing])},
        {"facing": SIDE_WORDS[step.facing]},
    )


def _choose_traded(state: State, trade: Trade) -> Iterator[Choice]:
    """One more piece to set aside: gems first, each kind in ASCII order, so that a trade is built in one way."""
    most_gems, most_tiles = count_tradable(state)
    gems, tiles = state.gem_hands[state.turn], state.tile_hands[state.turn]
    if not trade.tiles and len(trade.gems) < most_gems:
        for gem in dict.fromkeys(gems):
            if _is_within(more := (*trade.gems, gem), gems):
                yield Choice(
                    write(Trade(more, ())), Message("Set gem {gem} aside", {"gem": gem}), complete=True
                )
    if len(trade.tiles) < most_tiles:
        for tile in dict.fromkeys(tiles):
            more = (*trade.tiles, tile)
            if _is_within(more, tiles):
                label = Message("Set tile {tile} aside", {"tile": tile})
                yield Choice(write(Trade(trade.gems, more)), label, complete=True)


def _is_within(chosen: Sequence[str], hand: Sequence[str]) -> bool:
    """Return whether the chosen pieces are in order and in the hand."""
    return list(chosen) == sorted(chosen) and all(chosen.count(code) <= hand.count(code) for code in chosen)
