"""The command `bench`, for those who change a game: its figures, in English."""

from __future__ import annotations

from argparse import Namespace

from games import asking, bench, prediction
from games.registry import GAMES
from games.terminal.status import FINE


def run_bench(parsed: Namespace) -> int:
    """Print the figures."""
    slugs = [parsed.slug] if parsed.slug else list(GAMES)
    if parsed.ratings:
        _print_predictions(slugs, parsed.matches)
        return FINE
    print(
        f"{'game':<14} {'moves/s':>10} {'least':>10} {'most':>10} {'loop/s':>12} {'moves per 1000 loops':>22}"
    )
    for slug in slugs:
        speed = bench.measure_speed(slug, parsed.repeat)
        print(
            f"{slug:<14} {speed.median:>10,.0f} {speed.least:>10,.0f} {speed.most:>10,.0f}"
            f" {speed.calibration:>12,.0f} {speed.ratio:>22.2f}"
        )
    _print_asking(slugs, parsed.asking)
    return FINE


def _print_asking(slugs: list[str], matches: int) -> None:
    print(
        f"\nprompts that need a person, and how often the table waits, per match (mean of {matches} random matches)\n"
        f"{'game':<14} {'seats':>6} {'plies':>8} {'table':>15} {'with plans':>15} {'sealed':>15}"
    )
    for slug in slugs:
        found = asking.measure_asking(slug, matches)
        ways = [
            "-" if way is None else f"{way.prompts:.1f} / {way.waits:.1f}"
            for way in (found.table, found.plans, found.sealed)
        ]
        print(f"{slug:<14} {found.seats:>6} {found.plies:>8.1f} {ways[0]:>15} {ways[1]:>15} {ways[2]:>15}")


def _print_predictions(slugs: list[str], matches: int) -> None:
    print(
        "mean loss of a predicted pair; less is better\n"
        f"{'matches of':<26} {'seats':>6} {'pairs':>7} {'ours':>7} {'Elo':>7} {'equal':>7}"
    )
    rows = [
        (f"simulated, {world}", seats, prediction.measure_simulated(world, seats))
        for world in prediction.WORLDS
        for seats in (2, 4, 8)
    ]
    rows += [(f"bots, {slug}", *prediction.measure_bots(slug, matches)) for slug in slugs]
    for title, seats, found in rows:
        print(
            f"{title:<26} {seats:>6} {found.pairs:>7} {found.ours:>7.4f} {found.elo:>7.4f} {found.equal:>7.4f}"
        )
    print(
        "\nmatches until half the players are provisional no more, and pairs that stand in the wrong order then\n"
        f"{'simulated':<26} {'seats':>6} {'matches':>7} {'sigma':>7} {'wrong':>7}"
    )
    for world in prediction.WORLDS:
        for seats in (2, 3, 4, 5, 8):
            settled = prediction.find_settled(world, seats)
            print(f"{world:<26} {seats:>6} {settled.matches:>7} {settled.sigma:>7.2f} {settled.wrong:>7.3f}")
