"""Playthroughs: everything a game says during two random matches, as text files under version control.

A change of rules, words, views or notation shows as a difference in these files. `python -m tests.games.playthroughs`
writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from games.chance import Chance
from games.contract import Event, Game, Seat, seat_letter
from games.record import write_options
from games.record_headers import read_options
from games.registry import OWN, game

FOLDER = Path(__file__).parent / "playthroughs"
NAMES = ("Ana", "Bob", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal")
TR = gettext.NullTranslations()
SHOWN = 12
"""So many legal moves of a seat are written out."""


def list_playthroughs() -> list[tuple[str, int]]:
    """(slug, seats) of every playthrough: each game with its fewest and its most seats."""
    return [
        (slug, seats)
        for slug in OWN
        for seats in (game(slug).rules.meta.min_seats, game(slug).rules.meta.max_seats)
    ]


def find_file(slug: str, seats: int) -> Path:
    """Return the file of the playthrough."""
    return FOLDER / slug / f"{seats}-seats.txt"


def tell_playthrough(slug: str, seats: int) -> Iterator[str]:
    """Yield the lines of a playthrough; options have their last values, so that the extras of a game take part."""
    entry = game(slug)
    rules = entry.rules
    options = read_options(rules.meta, "", seats)
    options |= {option.name: option.values_for(seats)[-1] for option in rules.meta.options}
    seed = f"{seats:064x}"
    names = NAMES[:seats]
    state = rules.deal(seats=seats, options=options, chance=Chance(seed, "deal"))
    yield f"{rules.meta.title} {rules.meta.version}, {seats} seats, {write_options(rules.meta, options, seats)}"
    yield f"deal: {rules.write_deal(state)}"
    dice = Chance(seed, "playthrough")
    context: str | None = ""
    ply = 0
    while waiting := sorted(rules.waiting_on(state)):
        if rules.context(state) != context or context is None:
            context = rules.context(state)
            yield from _tell_board(entry, state, names)
        seat = waiting[dice.below(len(waiting))]
        ply += 1
        yield from _tell_position(entry, state, names, ply)
        move = rules.random_move(state, seat, dice)
        step = rules.apply(state, seat, move, Chance(seed, f"ply {ply}"))
        yield f"{ply} {seat_letter(seat)} {rules.write(move)}"
        for event in step.events:
            yield f"   {_tell_audience(event)}: {entry.words.describe(event, TR, names)}"
        state = step.state
    yield from _tell_board(entry, state, names)
    outcome = rules.outcome(state)
    yield f"outcome: {outcome}"


def _tell_board(entry: Game, state: Any, names: tuple[str, ...]) -> Iterator[str]:
    yield ""
    yield f"=== {entry.rules.context(state) or 'no context'}"
    yield from entry.words.draw(entry.rules.view(state, None), TR, names).splitlines()


def _tell_position(entry: Game, state: Any, names: tuple[str, ...], ply: int) -> Iterator[str]:
    rules = entry.rules
    waiting = sorted(rules.waiting_on(state))
    forced = rules.forced_move(state)
    yield ""
    yield (
        f"--- ply {ply}: waiting on {_letters(waiting)}, bidders {_letters(sorted(rules.bidders(state)))}, "
        f"standing {_numbers(rules.standing(state))}, ranks {_numbers(rules.ranks(state))}"
    )
    if forced is not None:
        yield f"forced: {seat_letter(forced[0])} {rules.write(forced[1])}"
    for seat in waiting:
        legal = [rules.write(move) for move in islice(rules.legal_moves(state, seat), SHOWN + 1)]
        more = " | …" if len(legal) > SHOWN else ""
        yield f"legal {seat_letter(seat)}: {' | '.join(legal[:SHOWN])}{more}"
        yield f"default {seat_letter(seat)}: {rules.write(rules.default_move(state, seat))}"
        for line in entry.words.prompt(rules.view(state, seat), TR, names).splitlines():
            yield f"   {line}"


def _tell_audience(event: Event) -> str:
    return "all" if event.audience is None else _letters(sorted(event.audience))


def _letters(seats: list[Seat]) -> str:
    return "".join(seat_letter(seat) for seat in seats) or "-"


def _numbers(numbers: Any) -> str:
    return " ".join(str(number) for number in numbers)


def write_playthroughs() -> None:
    """Write every file anew."""
    for slug, seats in list_playthroughs():
        file = find_file(slug, seats)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(tell_playthrough(slug, seats)) + "\n", encoding="utf-8")
        print(file.relative_to(FOLDER.parent))


if __name__ == "__main__":
    write_playthroughs()
