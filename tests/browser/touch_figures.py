"""Writes the costs of a move by touch as tables into `docs/performance.md` (`make touch`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.browser.touching import Costs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"
SECTION = re.compile(r"(<!-- make touch -->\n).*?(<!-- end of make touch -->)", re.DOTALL)
AIMS = {
    "gem": "2.2",
    "jewellers": "2.2",
    "gemessengers": "2.6",
    "florentine": "3.2",
    "gembatan": "5",
}
"""The most taps for a move, *Play* included."""


@dataclass
class Figures:
    """The figures that the tests of one run have measured; `seed` is that of the deals and of the moves."""

    seed: str
    touched: dict[tuple[str, int], Costs] = field(default_factory=dict)
    """By game and width of the window."""
    keys: dict[str, int] = field(default_factory=dict)
    """Moves made with the keyboard alone, by game."""
    links: dict[str, int] = field(default_factory=dict)
    """Moves made without JavaScript, by game."""
    soon: dict[tuple[str, bool], float] = field(default_factory=dict)
    """Milliseconds until the board can be touched, by game and whether the reader has been here before."""

    def write(self) -> str:
        """Write the tables."""
        return "\n".join([*self._list_touched(), "", *self._list_soon(), ""])

    def _list_touched(self) -> list[str]:
        lines = [
            f"Seed `{self.seed}`. *Carried*: a piece is dragged to its place, so that the finger comes down once. "
            "The last two columns",
            "count the moves of the same match made with the keyboard alone, and without JavaScript.",
            "",
            "| game | width | moves | taps a move | aim | not carried | scrolls | smallest | moved "
            "| 95 % within | keyboard | links |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        for (game, width), costs in sorted(self.touched.items()):
            cells = [
                game,
                f"{width} px",
                costs.moves,
                f"{costs.taps_a_move:.2f}",
                f"≤ {AIMS[game]}" if game in AIMS else "",
                f"{costs.taps_a_move_uncarried:.2f}",
                costs.scrolls,
                f"{costs.smallest:.0f} px",
                costs.drags,
                f"{costs.slowest:.0f} ms",
                self.keys.get(game, ""),
                self.links.get(game, ""),
            ]
            lines.append(f"| {' | '.join(map(str, cells))} |")
        return lines

    def _list_soon(self) -> list[str]:
        lines = [
            "| can be touched over 1.6 Mbit/s, 150 ms, CPU ×4 | first visit | has been here |",
            "|---|---|---|",
        ]
        for game in sorted({game for game, _ in self.soon}):
            first, again = self.soon[game, False], self.soon[game, True]
            lines.append(f"| {game} | {first:.0f} ms | {again:.0f} ms |")
        return lines

    def write_page(self) -> None:
        """Put the tables into the page, in the place of the last ones."""
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(SECTION.sub(lambda found: found[1] + self.write() + found[2], page), encoding="utf-8")
