"""How a table is divided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol


class Step(Protocol):
    """The ranges that the partitions of a table cover, one after the other."""

    @property
    def sql_type(self) -> str: ...

    def start(self, value: Any) -> Any:
        """The lower bound of the range that this value is in."""

    def after(self, start: Any) -> Any:
        """The lower bound of the next range."""

    def label(self, start: Any) -> str:
        """The end of the partition's name."""

    def read(self, text: str) -> Any:
        """A bound as PostgreSQL shows it."""

    def within(self, column: str) -> str:
        """SQL that holds for the values of which a partition can be made; others stay in the default one."""


@dataclass(frozen=True, slots=True)
class Months:
    """Months of UTC."""

    sql_type: str = "timestamptz"

    def start(self, value: datetime) -> datetime:
        value = value.astimezone(UTC)
        return datetime(value.year, value.month, 1, tzinfo=UTC)

    def after(self, start: datetime) -> datetime:
        years, month = divmod(start.month, 12)
        return datetime(start.year + years, month + 1, 1, tzinfo=UTC)

    def label(self, start: datetime) -> str:
        return f"{start:%Y_%m}"

    def read(self, text: str) -> datetime:
        return datetime.fromisoformat(text).astimezone(UTC)

    def within(self, column: str) -> str:
        """The years that Python knows, up to the last month after which there is another."""
        return f"{column} >= '0001-01-01 00:00+00' AND {column} < '9999-12-01 00:00+00'"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Ranges of this many numbers."""

    size: int
    sql_type: str = "bigint"

    def start(self, value: int) -> int:
        return value - value % self.size

    def after(self, start: int) -> int:
        return start + self.size

    def label(self, start: int) -> str:
        return str(start)

    def read(self, text: str) -> int:
        return int(text)

    def within(self, column: str) -> str:
        return f"{column} IS NOT NULL"


@dataclass(frozen=True, slots=True)
class OnceOnly:
    """A text column whose value may come once, even after the row with it was dropped.

    `table` keeps the first 16 bytes of each value's SHA-256, with the time. A row whose value is known is left out
    without a word, or refused as by the unique constraint `refused_as`.
    """

    column: str
    table: str
    refused_as: str = ""


@dataclass(frozen=True, slots=True)
class PartitionedTable:
    """A table that is divided by `column`.

    `unfinished` is a query that finds something in `{partition}` because of which that must not be dropped.
    """

    name: str
    column: str
    step: Step
    unfinished: str
    once: OnceOnly | None = None

    @property
    def default(self) -> str:
        """The partition of rows for which there is no other."""
        return f"{self.name}_default"

    @property
    def before(self) -> str:
        """The table as it was before it was divided; its first partition."""
        return f"{self.name}_before"

    def partition(self, start: Any) -> str:
        """The name of the partition that begins there."""
        return f"{self.name}_{self.step.label(start)}"
