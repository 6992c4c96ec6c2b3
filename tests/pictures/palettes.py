"""`python -m tests.pictures.palettes [GAME …]`: finds palettes anew, after a change of colours.

Of all games of the house, or of those that are named: of a package too, if it was installed by `pip install -e`.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

Colour: TypeAlias = tuple[int, int, int]

PALE = 48
"""Weighs grey against bright colours, as jewels are small and tell apart by theirs."""
STATED = 2
"""Weighs what the drawing fills an area with against what is blended, along edges and in faded jewels."""
CANDIDATES = 6000
COLUMNS = 16
BOARDS = 20
"""Of one match, from the deal to the end."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django
    from django.conf import settings

    if sys.argv[1:]:
        settings.GAMES = sys.argv[1:]
    django.setup()
    from games.registry import GAMES
    from gemserver.matches.offered.offered_games import refused

    for slug, why in refused.items():
        print(f"{slug}: {why}", file=sys.stderr)
    for slug in GAMES:
        path = GAMES[slug].folder / "templates" / "palette.txt"
        path.write_text(_write(slug))
        print(slug)


def _write(slug: str) -> str:
    from gemserver.matches.boards import board

    written = [bytes(colour).hex() for colour in _choose_colours(_draw_boards(slug), board.PALETTE)]
    return "".join(" ".join(written[at : at + COLUMNS]) + "\n" for at in range(0, len(written), COLUMNS))


def _choose_colours(drawings: Sequence[str], count: int) -> list[Colour]:
    """The colours without which most would be wrong: one after the other, that of the largest error."""
    weight = _weigh(drawings)
    error = dict.fromkeys(weight, 256.0**2)
    chosen: list[Colour] = []
    while len(chosen) < count:
        worst = max(weight, key=lambda colour: weight[colour] * error[colour])
        chosen.append(worst)
        error = {colour: min(far, _distance(colour, worst)) for colour, far in error.items()}
    return chosen


def _weigh(drawings: Sequence[str]) -> dict[Colour, float]:
    """Colours with their weights. A jewel that few boards show counts by the board that shows most of it."""
    from gemserver.matches.boards.board import PNG_WIDTH
    from gemserver.matches.boards.painting import paint_in_full

    most: Counter[Colour] = Counter()
    for drawing in drawings:
        board = paint_in_full(drawing, PNG_WIDTH)
        found: Any = board.getcolors(board.width * board.height)
        most |= Counter({colour[:3]: pixels for pixels, colour in found if colour[3]})
    stated = {tuple(bytes.fromhex(colour)) for colour in re.findall(r"#([0-9a-f]{6})", "".join(drawings))}
    return {
        colour: math.sqrt(pixels) * (PALE + max(colour) - min(colour)) * (STATED if colour in stated else 1)
        for colour, pixels in most.most_common(CANDIDATES)
    }


def _distance(one: Colour, other: Colour) -> float:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _draw_boards(slug: str) -> list[str]:
    """Boards of the smallest and the largest table, from the deal to the end."""
    from games.registry import game
    from games.testing.cases import list_cases, list_positions
    from gemserver.matches.boards import board

    cases = sorted((case for case in list_cases() if case.slug == slug), key=lambda case: case.seats)
    drawn = []
    for case in (cases[0], cases[-1]):
        states = list_positions(case)
        for number in range(BOARDS):
            state = states[(len(states) - 1) * number // (BOARDS - 1)]
            view = case.rules.view(state, min(case.rules.waiting_on(state), default=0))
            names = [f"Player {seat + 1}" for seat in range(case.seats)]
            drawn.append(board.draw(slug, game(slug).layout.layout(view, names)))
    return drawn


if __name__ == "__main__":
    main()
