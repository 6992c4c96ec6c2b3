"""Results of measurements: our figure beside that of a limit or peer in the same run, and whether the target is met."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Say: TypeAlias = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `aim` bounds the ratio of ours to theirs; None: the row is for information."""

    what: str
    ours: float
    beside: str
    theirs: float
    unit: str
    direction: Literal["at least", "at most"] = "at least"
    aim: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def is_met(self) -> bool:
        if self.aim is None:
            return True
        return self.ratio >= self.aim if self.direction == "at least" else self.ratio <= self.aim


def write_table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table, for docs/performance.md."""
    lines = ["| figure | ours | beside | theirs | ratio | aim | |", "|---|---|---|---|---|---|---|"]
    for figure in figures:
        aim = "" if figure.aim is None else f"{'≥' if figure.direction == 'at least' else '≤'} {figure.aim:g}"
        verdict = "" if figure.aim is None else "met" if figure.is_met else "**missed**"
        lines.append(
            f"| {figure.what} | {_round(figure.ours)} {figure.unit} | {figure.beside} | "
            f"{_round(figure.theirs)} {figure.unit} | {figure.ratio:.2f} | {aim} | {verdict} |"
        )
    return "\n".join(lines)


def _round(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
