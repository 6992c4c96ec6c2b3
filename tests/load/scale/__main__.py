"""`python -m tests.load.scale`: measures the unit costs on PostgreSQL and prints the tables of `docs/scaling.md`."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.load.scale import traffic
from tests.load.scale.traffic import BY_MAIL, MAILED, POLLS, TIMEOUTS, VIEWS, Traffic
from tests.services.daemons import Postgres, find_postgres

if TYPE_CHECKING:
    from tests.load.scale.units import Units

SIMULATED = 3000
RESERVE = 2.0
"""Times the load of the busiest hour that is planned for."""
FULL = 0.6
"""Use of a core at which answers are still quick."""
RAW_DAYS = 30
"""`MAIL_RAW_DAYS`."""
SECONDS_A_DAY = 86400


@dataclass(frozen=True, slots=True)
class Step:
    """A server of some size; a player has three matches, a match three seats, so that there are as many of either."""

    name: str
    matches: int


STEPS = (Step("club of 100", 100), Step("site of 100 000", 100_000), Step("a million matches", 1_000_000))


def main() -> int:
    if find_postgres("postgres") is None:
        print(
            "Sizes are measured on PostgreSQL, which is not installed; install Debian's package postgresql."
        )
        return 0
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))  # PostgreSQL is ended too
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-scale-")))
        folder.chmod(0o755)  # PostgreSQL runs as another user
        postgres = Postgres(folder)
        stack.callback(postgres.stop)
        postgres.start()
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "GEMSERVER_MODE": "test",
            "GEMSERVER_VAR": str(folder),
            "DATABASE_URL": postgres.url,
            "LOG_LEVEL": "ERROR",
        }
        import django

        django.setup()
        from tests.load.scale.units import measure

        units = measure(print)
    simulated = traffic.simulate(SIMULATED, seed=1)
    print_units(units)
    print_traffic(simulated)
    print_steps(units, simulated)
    return 0


def print_units(units: Units) -> None:
    print("\n| table | rows of 100 moves | bytes of a row | of them in indexes |\n|---|---|---|---|")
    for table, _ in units.size.most_common():
        if units.rows[table] > 0 and units.size[table] > 0:
            share = units.indexes[table] / units.rows[table]
            print(f"| {table} | {units.per_hundred(table):.0f} | {units.row(table):.0f} | {share:.0f} |")
    print(
        f"\na move that is asked for: {sum(units.size.values()) / units.asked / 1e3:.1f} kB in "
        f"{sum(units.rows.values()) / units.asked:.1f} rows; {units.wal / units.asked / 1e3:.0f} kB of PostgreSQL's log"
    )
    print("\n| work | our CPU, ms | PostgreSQL's, ms |\n|---|---|---|")
    for name, cost in units.costs.items():
        print(f"| {name} | {cost.milliseconds[0]:.1f} | {cost.milliseconds[1]:.1f} |")


def print_traffic(simulated: Traffic) -> None:
    print(
        f"\nsimulated: {simulated.prompts_a_day:.2f} prompts a day and match, {simulated.peak:.2f} times as many in "
        f"the busiest hour, {100 * simulated.reminders:.1f} % of them with a reminder, {100 * TIMEOUTS:.1f} % run out"
    )


def print_steps(units: Units, simulated: Traffic) -> None:
    needs = [_needs(units, simulated, step.matches) for step in STEPS]
    print("\n| | " + " | ".join(step.name for step in STEPS) + " |\n|---|" + "---|" * len(STEPS))
    for what in needs[0]:
        print(f"| {what} | " + " | ".join(_short(need[what]) for need in needs) + " |")


def _needs(units: Units, simulated: Traffic, matches: int) -> dict[str, float]:
    """The needs of this many running matches; rates are those of the hour that is planned for."""
    a_day = matches * simulated.prompts_a_day
    rate = a_day / SECONDS_A_DAY * simulated.peak * RESERVE
    mails_out = rate * (MAILED + BY_MAIL + simulated.reminders + TIMEOUTS)
    web = rate * (1 - BY_MAIL)
    worker = rate * BY_MAIL
    ours = {name: cost.ours / max(1, cost.times) for name, cost in units.costs.items()}
    theirs = {name: cost.database / max(1, cost.times) for name, cost in units.costs.items()}

    def cores_of_web(costs: dict[str, float]) -> float:
        return web * (
            costs["move on the web"] + VIEWS * costs["page of a match"] + POLLS * costs["progress asked for"]
        )

    def cores_of_workers(costs: dict[str, float]) -> float:
        other = mails_out - rate * MAILED
        return (
            worker * costs["mail read and played"]
            + rate * MAILED * costs["turn mail written and handed over"]
            + other * costs["other mail written and handed over"]
        )

    stored = {name: worker * costs["mail stored"] for name, costs in (("ours", ours), ("theirs", theirs))}
    bytes_a_prompt = sum(units.size.values()) / units.asked
    mail_tables = ("notify_outboxmessage", "inbox_inboundemail")
    mail_bytes = sum(units.size[table] for table in mail_tables) / units.asked
    return {
        "moves a day that somebody is asked for": a_day,
        "mails out a day": a_day * (MAILED + BY_MAIL + simulated.reminders + TIMEOUTS),
        "moves a second, planned for": rate,
        "mails out a second": mails_out,
        "mails in a second": worker,
        "web cores": cores_of_web(ours) / FULL,
        "worker cores": cores_of_workers(ours) / FULL,
        "mail cores": stored["ours"] / FULL,
        "PostgreSQL cores": (cores_of_web(theirs) + cores_of_workers(theirs) + stored["theirs"]) / FULL,
        "PostgreSQL's log, MB/s": rate * units.wal / units.asked / 1e6,
        "rows a day": a_day * sum(units.rows.values()) / units.asked,
        "GB a year": 365 * a_day * bytes_a_prompt / 1e9,
        "of them the two tables of mails, GB": 365 * a_day * mail_bytes / 1e9,
        f"indexes that are written to, GB after {RAW_DAYS} days": RAW_DAYS
        * a_day
        * sum(units.indexes.values())
        / units.asked
        / 1e9,
    }


def _short(number: float) -> str:
    if number >= 1000:
        return f"{number:,.0f}".replace(",", " ")
    return f"{number:.2g}" if number < 10 else f"{number:.0f}"


if __name__ == "__main__":
    sys.exit(main())
