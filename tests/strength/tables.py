"""Writes `docs/strength.md` from the kept results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from games.registry import OWN
from tests.strength import results
from tests.strength.pairs import BARS, Pair, list_pairs
from tests.strength.sequential import judge

PAGE = Path(__file__).resolve().parents[2] / "docs" / "strength.md"
HEAD = """\
# How strong the computer players are

Written by `python -m tests.strength` from `tests/strength/results.jsonl`, which it extends; nothing here is typed in.

Each deal is played as often as there are seats, the tested player once in every place among references, all alike.
The *share* is the mean part of its opponents that the tested player comes before, a shared place half:
(beaten + ties / 2) / (seats - 1). Equals get 0.5 at any number of seats. *95 %* is the interval by the normal
approximation. The test is sequential (`tests/strength/sequential.py`): *met* and *missed* are wrong with a chance of
at most 0.05, *undecided* wants more deals. *policy* is the quick player alone, *frozen* the normal bot before there
were policies. Rows marked *earlier code* were measured before the last change of how this game's bots play, and prove
nothing of the present ones; costs and wins by place are of whatever code was measured last.

CPU is the mean of the tested player's moves, forced ones left out, in seconds.
"""


def write() -> None:
    """Write the page anew."""
    PAGE.write_text(write_page(), encoding="utf-8")


def write_page() -> str:
    """The text of the page."""
    return (
        "\n".join([HEAD, *_list_shares(), "", *_list_gains(), "", *_list_costs(), "", *_list_firsts()]) + "\n"
    )


def _list_shares() -> list[str]:
    lines = [
        "## Shares",
        "",
        "| game | seats | tested | reference | deals | share | 95 % | bar | |",
        "|---|" + "---|" * 8,
    ]
    for pair in list_pairs():
        deals = results.read(pair, None)
        if deals:
            shares = [deal.share for deal in deals]
            low, high = results.interval(shares)
            lines.append(
                f"| {pair.slug} | {pair.seats} | {pair.tested} | {pair.reference} | {len(deals)} |"
                f" {results.mean_share(deals):.2f} | {low:.2f}–{high:.2f} | {pair.bar:.2f} |"
                f" {judge(pair.bar, shares).value}{_age(deals)} |"
            )
    return lines


def _list_gains() -> list[str]:
    lines = [
        "## More simulations",
        "",
        "The same deals once more, the tested player with so many *times* the simulations: would thinking",
        "longer reach a bar? *Gain* is the mean difference of the two shares of a deal.",
        "",
        "| game | seats | tested | reference | times | deals | share | with more | gain | 95 % | |",
        "|---|" + "---|" * 10,
    ]
    for pair in list_pairs():
        for times in results.list_times(pair):
            longer = {deal.seed: deal for deal in results.read(pair.with_more_simulations(times), None)}
            version = next(iter(longer.values())).version
            usual = [deal for deal in results.read(pair, version) if deal.seed in longer]
            lines.append(_describe_gain(pair, times, usual, [longer[deal.seed] for deal in usual]))
    return lines


def _describe_gain(
    pair: Pair, times: int, usual: Sequence[results.Deal], longer: Sequence[results.Deal]
) -> str:
    gains = [more.share - deal.share for deal, more in zip(usual, longer, strict=True)]
    reach = results.find_reach(gains)
    return (
        f"| {pair.slug} | {pair.seats} | {pair.tested} | {pair.reference} | {times} | {len(gains)} |"
        f" {results.mean_share(usual):.2f} | {results.mean_share(longer):.2f} | {fmean(gains):+.2f} | ±{reach:.2f} |"
        f" {_age(longer).removeprefix(', ')} |"
    )


def _age(deals: Sequence[results.Deal]) -> str:
    """A mark for results of code that has changed since."""
    return "" if deals[-1].version == results.version_of(deals[-1].game) else ", earlier code"


def _list_costs() -> list[str]:
    lines = ["## CPU seconds a move", "", "| game | seats | easy | normal | hard |", "|---|---|---|---|---|"]
    pairs = list(list_pairs())
    for slug in OWN:
        for seats in sorted({pair.seats for pair in pairs if pair.slug == slug}):
            costs = [_find_cost(slug, seats, level) for level in ("easy", "normal", "hard")]
            lines.append(f"| {slug} | {seats} | {' | '.join(costs)} |")
    return lines


def _find_cost(slug: str, seats: int, level: str) -> str:
    deals = [
        deal
        for tested, reference, bar in BARS
        if tested == level
        for deal in results.read(Pair(slug, seats, tested, reference, bar), None)
    ]
    moves = sum([deal.moves for deal in deals])
    return f"{sum([deal.seconds for deal in deals]) / moves:.4f}" if moves else "-"


def _list_firsts() -> list[str]:
    lines = [
        "## Wins by place",
        "",
        "Among equals, in % of the matches, counted from the seat that moves first where one does.",
        "",
        "| game | seats | players | matches | most | 95 % | by place |",
        "|---|---|---|---|---|---|---|",
    ]
    for (slug, seats, player), counts in sorted(results.sum_firsts().items()):
        total = sum(counts)
        shares = [100 * count / total for count in counts]
        reach = 196 * (max(shares) / 100 * (1 - max(shares) / 100) / total) ** 0.5
        lines.append(
            f"| {slug} | {seats} | {player} | {total:.0f} | {max(shares):.0f} | ±{reach:.0f} |"
            f" {' · '.join([f'{share:.0f}' for share in shares])} |"
        )
    return lines
