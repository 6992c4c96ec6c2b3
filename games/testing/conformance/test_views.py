"""No leak: secrets can be redrawn, and nothing that the reader is shown changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from games.chance import Chance
from games.contract import GameError, IllegalMove, InvalidMove, Seat
from games.testing.cases import Case, deal, list_moves, list_positions, play_match
from games.testing.readers import NAMES, TR, list_readers, name_reader, tell_difference

SWAPS = 60
"""Pairs of pieces that change places in a deal."""
LONG = 6
"""Letters of a word of a deal that may be a list."""


def test_redrawing_what_a_reader_cannot_know_changes_nothing_it_is_shown(case: Case) -> None:
    """In the last position too, in which all that the end has shown is known."""
    rules = case.rules
    for ply, position in enumerate(list_positions(case), 1):
        for reader in list_readers(case.seats):
            redrawn = rules.resample(position, reader, Chance(case.seed, f"redraw {ply}"))
            when = f"ply {ply}" if rules.waiting_on(position) else "when the match is over"
            who = f"{when}: with what it cannot know drawn anew, {name_reader(reader)}"
            leak = tell_difference(rules.view(position, reader), rules.view(redrawn, reader))
            assert not leak, f"{who} is shown something else: {leak}"
            for name in ("waiting_on", "context", "bidders", "standing", "ranks"):
                one, other = getattr(rules, name)(position), getattr(rules, name)(redrawn)
                assert one == other, f"{who} gets another `{name}`: {one!r} or {other!r}"
            if list_pieces := case.game.list_pieces:
                assert list_pieces(redrawn) == list_pieces(position), f"{who} has other pieces"
            if reader is not None:
                assert list_moves(rules, redrawn, reader) == list_moves(rules, position, reader), (
                    f"{who} has other legal moves"
                )
                assert list(rules.steps(redrawn, reader, "")) == list(rules.steps(position, reader, ""))
                if reader in rules.waiting_on(position):
                    one, other = (rules.default_move(state, reader) for state in (position, redrawn))
                    assert one == other, f"{who} has another default move: {one!r} or {other!r}"


def test_drawings_show_nothing_that_the_view_does_not(case: Case) -> None:
    """Words and picture are made of fields that a comparison of views sees, and of nothing else."""
    rules, words, layout, names = case.rules, case.game.words, case.game.layout, NAMES[: case.seats]
    for played in play_match(case)[::5]:
        for reader in list_readers(case.seats):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, f"redraw {played.ply}"))
            one, other = rules.view(played.before, reader), rules.view(redrawn, reader)
            for name, draw in (("draw", words.draw), ("prompt", words.prompt)):
                assert draw(one, TR, names) == draw(other, TR, names), (
                    f"ply {played.ply}: `{name}` tells {name_reader(reader)} what it cannot know"
                )
            assert repr(layout.layout(one, names)) == repr(layout.layout(other, names)), (
                f"ply {played.ply}: the picture tells {name_reader(reader)} what it cannot know"
            )


def test_the_log_says_nothing_that_the_view_does_not_show(case: Case) -> None:
    """After one move in two positions, a reader with equal views has read equal logs, whatever is hidden."""
    rules = case.rules
    compared = 0
    for played in play_match(case):
        for reader in list_readers(case.seats):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, f"redraw {played.ply}"))
            try:
                step = rules.apply(redrawn, played.seat, played.move, Chance(*played.chance))
            except IllegalMove:
                assert reader != played.seat
                continue
            if rules.view(step.state, reader) == rules.view(played.after, reader):
                compared += 1
                seen = [event for event in step.events if event.visible_to(reader)]
                assert seen == [event for event in played.events if event.visible_to(reader)]
    assert compared > 0


def test_a_refusal_says_nothing_that_the_reader_cannot_know(case: Case) -> None:
    """Whoever tries moves that are not legal learns nothing of what others hold."""
    rules = case.rules
    match = play_match(case)
    moves = list(dict.fromkeys(played.move for played in match))
    for played in match[::5]:
        for reader in range(case.seats):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, f"redraw {played.ply}"))
            for move in moves[played.ply % 3 :: 3]:
                told = [_find_refusal(case, state, reader, move) for state in (played.before, redrawn)]
                assert told[0] == told[1], (
                    f"{rules.write(move)} is refused to {name_reader(reader)} by what it cannot know: "
                    f"{told[0]!r} or {told[1]!r}"
                )


def _find_refusal(case: Case, state: Any, seat: Seat, move: Any) -> str:
    """The refusal of the move, read from its text and played; empty for one that is legal."""
    try:
        case.rules.apply(
            state, seat, case.rules.parse(state, seat, case.rules.write(move)), Chance(case.seed, "try")
        )
    except GameError as refusal:
        return f"{refusal.code}: {refusal.message.text(TR)}"
    return ""


def test_redrawing_follows_from_what_the_reader_knows_alone(case: Case) -> None:
    """Redrawing twice gives the same as redrawing once: nothing of the real secrets comes through."""
    rules = case.rules
    for played in play_match(case)[::3]:
        for reader in list_readers(case.seats):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, "once"))
            again = rules.resample(redrawn, reader, Chance(case.seed, "twice"))
            kept = tell_difference(rules.resample(played.before, reader, Chance(case.seed, "twice")), again)
            assert not kept, f"a redraw for {name_reader(reader)} depends on more than its view: {kept}"


@pytest.mark.claimed("hidden")
def test_deals_that_look_alike_are_redrawn_alike(case: Case) -> None:
    """Two pieces change places in the deal; whoever sees no difference gets the same by the same chance.

    So nothing stays where it was dealt, a pile or a bag, say, which bots would then see. Of two pieces that the reader
    sees, such as cards of the own hand, the order may stay.
    """
    rules = case.rules
    first = deal(case)
    for other, swapped in _swap_in_deal(case, first):
        for reader in list_readers(case.seats):
            view = rules.view(first, reader)
            if rules.view(other, reader) == view and not all(word in repr(view) for word in swapped):
                one, two = (
                    rules.resample(state, reader, Chance(case.seed, "redraw")) for state in (first, other)
                )
                kept = tell_difference(one, two)
                assert not kept, (
                    f"{name_reader(reader)} cannot tell two deals apart, but `resample` keeps something of each: "
                    f"{kept}. Put all that is hidden together, sort it, then shuffle it."
                )


def _swap_in_deal(case: Case, first: Any) -> Iterator[tuple[Any, tuple[str, str]]]:
    """The positions that follow from this deal with two of its words in each other's place, and the two words."""
    rules = case.rules
    parts = re.split(r"([\w*+-]+)", rules.write_deal(first))
    places = range(1, len(parts), 2)
    dice = Chance(case.seed, "swaps")
    waiting = rules.waiting_on(first)
    starter = min(waiting) if len(waiting) == 1 else 0
    lists = [place for place in places if len(parts[place]) >= LONG]
    for number in range(SWAPS):
        swapped = list(parts)
        if lists and number % 2:
            one = lists[dice.below(len(lists))]
            swapped[one], words = _swap_in_word(parts[one], 1 + number // 2 % 2, dice)
        else:
            one, other = (places[dice.below(len(places))] for _ in range(2))
            swapped[one], swapped[other] = words = parts[other], parts[one]
        try:
            state = rules.deal_explicit(
                seats=case.seats, options=dict(case.options), deal="".join(swapped), first=starter
            )
        except InvalidMove:
            continue
        if state != first:
            yield state, words


def _swap_in_word(word: str, size: int, dice: Chance) -> tuple[str, tuple[str, str]]:
    """A list may be written without blanks: two parts of this size change places in it."""
    pieces = [word[place : place + size] for place in range(0, len(word), size)]
    one, other = (dice.below(len(pieces)) for _ in range(2))
    words = pieces[one], pieces[other]
    pieces[other], pieces[one] = words
    return "".join(pieces), words


@pytest.mark.claimed("hidden")
def test_redrawing_reaches_other_positions(case: Case) -> None:
    first = deal(case)
    redrawn = [case.rules.resample(first, None, Chance(case.seed, str(n))) for n in range(5)]
    assert any(state != first for state in redrawn), "`resample` redraws nothing"


@pytest.mark.claimed("nothing-hidden")
def test_a_game_that_hides_nothing_has_nothing_to_redraw(case: Case) -> None:
    """A game that hides something says so in its `GameMeta.has_hidden`."""
    for played in play_match(case):
        for reader in list_readers(case.seats):
            assert case.rules.resample(played.before, reader, Chance(case.seed, "redraw")) == played.before, (
                "`resample` redraws something: set `has_hidden` in the GameMeta"
            )
