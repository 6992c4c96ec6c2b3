"""Load generators, each a process of its own, that take turns in many short rounds."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.load.servers import ROOT

ROUNDS = 11
"""Other work on the machine spoils some rounds; the median comes from the rest."""


class Generator:
    """The load generator for one server."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.sent: list[int] = []
        self._read()

    def run(self, order: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._read())
        self.sent.append(len(found["times"]))
        return found

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the load generator has ended")
        return line


@contextmanager
def generating(command: Sequence[str], environ: Mapping[str, str] | None = None) -> Iterator[Generator]:
    """Run this load generator, which reads orders and writes results as `tests.load.clients` does."""
    with subprocess.Popen(
        command, cwd=ROOT, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Generator(process)
        assert process.stdin is not None
        process.stdin.close()


def alternate(
    generators: Mapping[str, Generator], order: str, read: Callable[[dict[str, Any]], float]
) -> dict[str, list[float]]:
    """Run every server in turn, several times, in changing order, so that other work here hits all alike."""
    found: dict[str, list[float]] = {name: [] for name in generators}
    for number in range(ROUNDS):
        names = list(generators)
        for name in names if number % 2 else reversed(names):
            found[name].append(read(generators[name].run(order)))
    return found


def read_rate(found: dict[str, Any]) -> float:
    """Forms in a second."""
    return float(len(found["times"]) / found["seconds"])


def read_p95(found: dict[str, Any]) -> float:
    """The time within which 95 of 100 were answered, in milliseconds."""
    return 1000 * statistics.quantiles(found["times"], n=20)[-1]
