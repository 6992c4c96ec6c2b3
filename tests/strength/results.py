"""Keeps what was measured: a file with one JSON object a line for each deal, with its seed, version and counts."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from games.registry import game
from tests.strength.matches import play as play_match
from tests.strength.pairs import Pair

FILE = Path(__file__).with_name("results.jsonl")
ROOT = Path(__file__).resolve().parents[2] / "games"
LEAST_DEVIATION = 0.1
SHARED = ("bots.py", "search.py", "open_search.py", "playouts.py")
"""The modules that decide how bots play all games."""
NUMBERS = ("shortlist", "simulations", "deep_simulations", "tree_depth", "horizon", "strays")
"""The numbers that a game gives them."""


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal, played once for each place of the tested player."""

    game: str
    seats: int
    tested: str
    reference: str
    seed: str
    version: str
    share: float
    seconds: float
    """CPU seconds of the tested player in all matches of the deal."""
    moves: int
    firsts: tuple[float, ...]
    """For each place, how many of the matches were won from it, shared first places split. Among equals the places
    count from the seat that moves first, else from seat A."""


@lru_cache
def version_of(slug: str) -> str:
    """A fingerprint of the code that decides how this game's bots play; results of other versions do not count.

    Comments, docstrings and layout decide nothing.
    """
    files = [ROOT / name for name in SHARED]
    files += [ROOT / slug / f"{name}.py" for name in ("policy", "evaluation", "search")]
    entry = game(slug)
    numbers = {name: getattr(entry, name) for name in NUMBERS}
    code = "".join([_code_of(path) for path in files if path.exists()])
    return sha256((code + json.dumps(numbers)).encode()).hexdigest()[:12]


def _code_of(path: Path) -> str:
    return ast.unparse(_WithoutDocstrings().visit(ast.parse(path.read_bytes())))


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def play(pair: Pair, number: int, version: str) -> Deal:
    """Play one deal with the tested player in every place; once only where all players are equal."""
    is_equal = pair.tested == pair.reference
    matches = [
        play_match(pair.slug, pair.seats, pair.tested, pair.reference, number, place)
        for place in range(1 if is_equal else pair.seats)
    ]
    firsts = [0.0] * pair.seats
    for match in matches:
        winners = [seat for seat, rank in enumerate(match.ranks) if rank == 1]
        for seat in winners:
            firsts[(seat - (match.first if is_equal else 0)) % pair.seats] += 1 / len(winners)
    shares = [0.5] if is_equal else [match.share(place) for place, match in enumerate(matches)]
    return Deal(
        game=pair.slug,
        seats=pair.seats,
        tested=pair.tested,
        reference=pair.reference,
        seed=f"strength {number}",
        version=version,
        share=round(fmean(shares), 4),
        seconds=round(sum([match.seconds for match in matches]), 3),
        moves=sum([match.moves for match in matches]),
        firsts=tuple([round(count, 3) for count in firsts]),
    )


def keep(deal: Deal) -> None:
    """Append the deal to the file."""
    with FILE.open("a", encoding="utf-8") as file:
        file.write(_line(deal))


def carry_over(pair: Pair, version: str) -> bool:
    """Let the deals of the last version count for this one, if this code plays the newest of them move for move.

    A deal is dozens to hundreds of decisions; so it shows whether a change of what all games share was one for others.
    False: it was not, and the deals stay those of earlier code.
    """
    kept = read(pair, None)
    if not kept or kept[-1].version == version:
        return True
    newest = kept[-1]
    again = play(pair, number_of(newest), version)
    if (again.share, again.moves, again.firsts) != (newest.share, newest.moves, newest.firsts):
        return False
    deals = [replace(deal, version=version) if deal in kept else deal for deal in read_all()]
    FILE.write_text("".join([_line(deal) for deal in deals]), encoding="utf-8")
    return True


def _line(deal: Deal) -> str:
    return json.dumps(asdict(deal), separators=(",", ":")) + "\n"


def read_all() -> list[Deal]:
    """All deals in the file, in the order in which they were played."""
    if not FILE.exists():
        return []
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [Deal(**{**line, "firsts": tuple(line["firsts"])}) for line in map(json.loads, lines)]


def read(pair: Pair, version: str | None) -> list[Deal]:
    """The kept deals of the pair in this version; None: in the last one that was measured."""
    kept = [
        deal
        for deal in read_all()
        if (deal.game, deal.seats, deal.tested, deal.reference)
        == (pair.slug, pair.seats, pair.tested, pair.reference)
    ]
    if version is None and kept:
        version = kept[-1].version
    return [deal for deal in kept if deal.version == version]


def number_of(deal: Deal) -> int:
    """The number of the deal, which is played again by it."""
    return int(deal.seed.split()[-1])


def list_times(pair: Pair) -> list[int]:
    """How many times the simulations of the pair's tested player were tried as well, the fewest first."""
    return sorted(
        {
            int(times)
            for deal in read_all()
            if (deal.game, deal.seats, deal.reference) == (pair.slug, pair.seats, pair.reference)
            for name, _, times in [deal.tested.partition("*")]
            if name == pair.tested and times
        }
    )


def mean_share(deals: Sequence[Deal]) -> float:
    """The mean share of the deals."""
    return fmean([deal.share for deal in deals])


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """The interval in which the true share is with a chance of 0.95, by the normal approximation.

    A few shares that happen to be equal are not taken for certain.
    """
    middle, reach = fmean(shares), find_reach(shares)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def find_reach(values: Sequence[float]) -> float:
    """How far the true mean of such values is from theirs at most, with a chance of 0.95."""
    return 1.96 * max(stdev(values), LEAST_DEVIATION) / sqrt(len(values)) if len(values) > 1 else 0.5


def sum_firsts() -> dict[tuple[str, int, str], tuple[float, ...]]:
    """The wins by place of matches among equals, in the last version measured: by game, seats and player."""
    kept = [deal for deal in read_all() if deal.tested == deal.reference]
    latest = {(deal.game, deal.seats, deal.tested): deal.version for deal in kept}
    sums: dict[tuple[str, int, str], tuple[float, ...]] = {}
    for deal in kept:
        key = (deal.game, deal.seats, deal.tested)
        if deal.version == latest[key]:
            before = sums.get(key, (0.0,) * deal.seats)
            sums[key] = tuple([one + more for one, more in zip(before, deal.firsts, strict=True)])
    return sums
