"""If any line of a finished record is changed, `python -m games verify` names the mismatch, in all five games."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import pytest

from games.__main__ import main
from games.chance import Chance
from games.contract import GameError
from games.record import read_record
from games.registry import GAMES
from games.verify import verify
from tests.matches.test_proofs import change_seat, flip, play_out
from tests.quick import first

pytestmark = pytest.mark.django_db

WAYS = {
    "gem": (3, "sealed"),
    "jewellers": (3, "sealed"),
    "gemessengers": (2, None),
    "florentine": (2, None),
    "gembatan": (2, None),
}
"""The number of seats, and the pace, of each game's match."""

NAMES_ONLY = "Players: "
"""The one line that may be changed, because the commitment does not cover the players' names."""


@lru_cache
def record_of(slug: str) -> str:
    return play_out(slug, *WAYS[slug]).record


def list_changes(record: str) -> Iterator[tuple[int, str, str]]:
    """For every line but the names: its number, the changed line, and the word that the refusal must contain."""
    for number, line in enumerate(record.splitlines(), start=1):
        if not line or line.startswith(NAMES_ONLY) or line.strip() == "Options:":
            continue
        if line.startswith("# sealed "):
            fingerprint, salt = re.findall(r" ([0-9a-f]{64}) ([0-9a-f]{32}) ", line)[0]
            for old in (fingerprint, salt):
                yield number, line.replace(old, flip(old)), f"line {number}:"
            yield number, f"{line} else pass", f"line {number}:"
        elif re.match(r"\d+ [A-Z] ", line):
            yield number, change_seat(line), "line"
            yield number, f"{line.split()[0]} {line.split()[1]} nonsense", f"line {number}:"
            yield number, "", "line"
        elif line.lstrip().startswith("+"):  # continues the line above
            yield number, f"{line} nonsense", "line"
        else:
            yield number, _change_header(line), _NAMED[line.partition(":")[0]]


def choose_one_of_each(changes: Iterator[tuple[int, str, str]]) -> Iterator[tuple[int, str, str]]:
    """Choose one change for each line, of a different kind from that of the line before."""
    for number, ways in groupby(changes, key=lambda change: change[0]):
        kinds = list(ways)
        yield kinds[number % len(kinds)]


_NAMED = {
    **dict.fromkeys(("Match", "Options", "Commitment", "Server-Part"), "commitment"),
    **dict.fromkeys(("Parts", "Seed"), "seed"),
    "Game": "version",
    "Result": "result-differs",
    "Ending": "ending-differs",
}
"""The word that the refusal contains when this header is changed; another version cannot even be read."""


def _change_header(line: str) -> str:
    name, _, value = line.partition(": ")
    changed = {
        "Game": lambda: value[:-1] + "9",
        "Match": lambda: value + "9",
        "Options": lambda: value.replace("sealed", "table").replace("colours=rb", "colours=rg"),
        "Result": lambda: value.replace("A ", "A 1", 1),
        "Ending": lambda: "resigned",
    }.get(name, lambda: flip(value))
    return f"{name}: {changed()}"


@pytest.mark.slow
@pytest.mark.parametrize("slug", first(2, GAMES))
def test_every_line_that_is_changed_is_named(slug: str) -> None:
    record = record_of(slug)
    verify(read_record(record))
    lines = record.splitlines()
    changes = list(choose_one_of_each(list_changes(record)))
    assert {number for number, *_ in changes} == {
        number
        for number, line in enumerate(lines, start=1)
        if line.strip() not in {"", "Options:"} and not line.startswith(NAMES_ONLY)
    }
    for number, changed, named in changes:
        tampered = [*lines[: number - 1], changed, *lines[number:]]
        with pytest.raises(GameError) as caught:
            verify(read_record("\n".join(tampered) + "\n"))
        assert named in str(caught.value), (lines[number - 1], changed)


@pytest.mark.slow
@pytest.mark.parametrize("slug", GAMES)
def test_the_command_names_what_does_not_fit(
    slug: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = record_of(slug)
    file = tmp_path / "a.match"
    file.write_text(record, encoding="utf-8")
    assert main(["verify", str(file)]) == 0
    dice = Chance("0" * 64, slug)
    changes = list(list_changes(record))
    for _ in range(5):
        number, changed, named = changes[dice.below(len(changes))]
        lines = record.splitlines()
        lines[number - 1] = changed
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert main(["verify", str(file)]) in {1, 2}
        assert named in capsys.readouterr().err


@pytest.mark.parametrize("slug", ["gem", "jewellers", "gemessengers"])
def test_the_command_says_so_where_a_sealed_order_was_taken_away(
    slug: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.match"
    file.write_text(record_of(slug), encoding="utf-8")
    assert main(["verify", str(file)]) == 0
    assert "without a sealed order" not in capsys.readouterr().out
    orders = [order for order in read_record(record_of(slug)).sealed if order.version == 1]
    replaced = {
        (order.context, order.seat) for order in read_record(record_of(slug)).sealed if order.version > 1
    }
    alone = next(order for order in orders if (order.context, order.seat) not in replaced)
    lines = record_of(slug).splitlines()
    del lines[alone.line - 1]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    main(["verify", str(file)])
    assert "Lines without a sealed order in this record: " in capsys.readouterr().out
