"""Measures the strength of computer players: `python -m tests.strength` (`make strength`), or a piece of it.

    python -m tests.strength --game gem --pair normal,easy --seats 2 --deals 40
    python -m tests.strength --places easy --deals 200   # wins by place among equals
    python -m tests.strength --game gembatan --pair hard,frozen --times 10   # the same deals, ten times the thinking
    python -m tests.strength --minutes 10   # a sample of everything, compared with what is kept
    python -m tests.strength --carry   # after a change that these games should not notice: see whether they do
    python -m tests.strength --table               # write docs/strength.md anew from what is kept

A *deal* is played as often as there are seats, the tested player once in every place among references. Its *share*
is the mean part of its opponents that it comes before, a shared place half: equals get 0.5 at any number of seats.
Results are kept in `results.jsonl`, a line for each deal; the same code plays none of them again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from games.bots import LEVELS
from games.registry import OWN
from tests.strength import results, tables
from tests.strength.pairs import Pair, list_equals, list_pairs
from tests.strength.sequential import MOST_DEALS, Verdict, judge


def main(arguments: list[str] | None = None) -> int:
    """Play what is asked for, keep it, and print what it shows."""
    parser = argparse.ArgumentParser(prog="python -m tests.strength")
    parser.add_argument("--game", choices=OWN, help="only this game")
    parser.add_argument("--pair", metavar="TESTED,REFERENCE", help="only this pair, for example normal,easy")
    parser.add_argument("--seats", type=int, help="only this number of seats")
    parser.add_argument("--deals", type=int, default=MOST_DEALS, help="stop a pair after so many deals")
    parser.add_argument(
        "--places", metavar="PLAYER", help="wins by place among equals at three and four seats"
    )
    parser.add_argument(
        "--times",
        type=int,
        help="play the kept deals again, the tested player with so many times the simulations",
    )
    parser.add_argument("--minutes", type=float, help="a sample of so many minutes, kept nowhere")
    parser.add_argument(
        "--carry", action="store_true", help="play the newest deal of each pair again; if alike, all count on"
    )
    parser.add_argument("--table", action="store_true", help="write docs/strength.md and play nothing")
    parsed = parser.parse_args(arguments)
    slugs = [parsed.game] if parsed.game else list(OWN)
    pairs = [
        pair
        for pair in (list_equals(slugs, parsed.places) if parsed.places else list_pairs(slugs))
        if parsed.seats in (None, pair.seats)
        and (parsed.pair is None or parsed.pair == f"{pair.tested},{pair.reference}")
    ]
    if parsed.table:
        tables.write()
    elif parsed.carry:
        searches = [pair.with_more_simulations(times) for pair in pairs for times in results.list_times(pair)]
        for pair in [*pairs, *searches]:
            alike = results.carry_over(pair, results.version_of(pair.slug))
            print(f"{pair.slug}, {pair.seats} seats, {pair.tested} against {pair.reference}:", end=" ")
            print("as before" if alike else "other moves than before", flush=True)
        tables.write()
    elif parsed.minutes:
        sample(pairs, parsed.minutes)
    elif parsed.times:
        for pair in pairs:
            think_longer(pair, parsed.times, parsed.deals)
        tables.write()
    else:
        for pair in pairs:
            print(describe(pair, extend(pair, parsed.deals)), flush=True)
        tables.write()
    return 0


def extend(pair: Pair, most: int) -> list[results.Deal]:
    """Play further deals of the pair until the sequential test decides, and keep each."""
    version = results.version_of(pair.slug)
    kept = results.read(pair, version)
    while len(kept) < most and (
        pair.tested == pair.reference or judge(pair.bar, [deal.share for deal in kept]) is Verdict.OPEN
    ):
        deal = results.play(pair, number=len(kept), version=version)
        results.keep(deal)
        kept.append(deal)
    return kept


def think_longer(pair: Pair, times: int, most: int) -> None:
    """Play the first kept deals of the pair, at most so many, with so many times the simulations, and keep each."""
    version = results.version_of(pair.slug)
    longer = pair.with_more_simulations(times)
    played = {deal.seed for deal in results.read(longer, version)}
    for deal in results.read(pair, version)[:most]:
        if deal.seed not in played:
            results.keep(results.play(longer, results.number_of(deal), version))
            print(describe(longer, results.read(longer, version)), flush=True)


def sample(pairs: list[Pair], minutes: float) -> None:
    """Play one new deal of each pair in turn until the time is up; print it beside what is kept.

    The cheapest pairs come first. Hard plays at the smallest tables only: at the largest a deal alone takes longer.
    """
    ends = time.monotonic() + 60 * minutes
    fewest = {pair.slug: min([other.seats for other in pairs if other.slug == pair.slug]) for pair in pairs}
    pairs = [pair for pair in pairs if pair.tested != "hard" or pair.seats == fewest[pair.slug]]
    pairs.sort(key=lambda pair: (pair.tested in LEVELS and LEVELS.index(pair.tested), pair.seats))
    fresh: dict[Pair, list[results.Deal]] = {pair: [] for pair in pairs}
    for number, pair in _take_turns(pairs):
        if time.monotonic() > ends:
            break
        fresh[pair].append(results.play(pair, number=100_000 + number, version=results.version_of(pair.slug)))
    for pair, deals in fresh.items():
        if deals:
            kept = results.read(pair, None)
            before = f"{results.mean_share(kept):.2f} ({len(kept)} deals)" if kept else "nothing"
            print(f"{describe(pair, deals)}; kept: {before}")


def _take_turns(pairs: list[Pair]) -> Iterator[tuple[int, Pair]]:
    for number in range(MOST_DEALS):
        for pair in pairs:
            yield number, pair


def describe(pair: Pair, deals: list[results.Deal]) -> str:
    """One line: the share with its interval, the bar, and what the test says; or the wins by place."""
    if pair.tested == pair.reference:
        firsts = [sum(counts) for counts in zip(*[deal.firsts for deal in deals], strict=True)]
        return f"{pair.slug:<13}{pair.seats} seats  {pair.tested} among equals: wins by place {firsts}"
    shares = [deal.share for deal in deals]
    low, high = results.interval(shares)
    return (
        f"{pair.slug:<13}{pair.seats} seats  {pair.tested:<8} against {pair.reference:<8}"
        f"{results.mean_share(deals):.2f} ({low:.2f} to {high:.2f}), {len(deals):>3} deals, bar"
        f" {pair.bar:.2f}: {judge(pair.bar, shares).value}"
    )


if __name__ == "__main__":
    sys.exit(main())
