"""Expected rows and mails after an outage, computed without the server's own arithmetic.

It only handles clocks without quiet hours, weekends and vacations: running time is all time outside stops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from tests.services.daemons import Postgres
from tests.services.processes import Failed
from tests.services.sink import Sink

TOLERANCE = timedelta(milliseconds=1)
LATE = timedelta(minutes=5)
"""A sweep comes every few minutes of the moved clock."""
RUNNING = "(SELECT id FROM matches_match WHERE status = 'running')"

Span = tuple[datetime, datetime]


class Reckoning:
    """Each `require_…` raises Failed with the fault that it found."""

    def __init__(self, postgres: Postgres, sink: Sink) -> None:
        self._postgres = postgres
        self._sink = sink

    def stops(self) -> list[Span]:
        """The time credited to all clocks, the oldest first."""
        return [
            (start, end)
            for start, end in self._postgres.rows(
                'SELECT start, "end" FROM matches_stop WHERE match_id IS NULL ORDER BY start'
            )
        ]

    def require_credit(self, number: int, down: Span) -> None:
        """There are this many credits; the last is for this time, and at most a minute longer."""
        stops = self.stops()
        if len(stops) != number:
            raise Failed(f"{number} credits are due, there are {stops}")
        (start, end), (went, came) = stops[-1], down
        minute = timedelta(minutes=1)
        if not went - minute <= start <= went or not came <= end <= came + minute:
            raise Failed(f"nothing was swept from {went} to {came}, credited is {start} to {end}")

    def require_lines(self, number: int) -> None:
        """Every running match has this many lines about downtime in its log."""
        rows = self._postgres.rows(
            "SELECT m.id, count(n.id) FROM matches_match m LEFT JOIN matches_notice n"
            " ON n.match_id = m.id AND n.kind = 'downtime' WHERE m.status = 'running' GROUP BY m.id"
        )
        _require_equal("lines in the logs about downtime", dict(rows), {match: number for match, _ in rows})

    def require_clocks(self) -> None:
        """Every prompt is due once the bank and all credit since the question are over."""
        stops = self.stops()
        rows = self._postgres.rows(
            "SELECT match_id, prompted_at, clock_left, due_at FROM matches_seat"
            f" WHERE is_waiting AND bot = '' AND match_id IN {RUNNING}"
        )
        if not rows:
            raise Failed("nobody is asked")
        for match, prompted, bank, due in rows:
            expected = due_at(prompted, bank, stops)
            if abs(due - expected) > TOLERANCE:
                raise Failed(f"match {match}: due at {due}, to be expected is {expected}")

    def require_banks(self, matches: list[int]) -> None:
        """Players who have answered in these matches have min(cap, left + increment), and lost no credited time."""
        stops = self.stops()
        for match in matches:
            moves = self._postgres.rows(
                "SELECT seat, created_at, clock_before, source FROM matches_move"
                f" WHERE match_id = {match} AND voided_at IS NULL ORDER BY ply"
            )
            [(asked, increment, cap)] = self._postgres.rows(
                f"SELECT started_at, increment, cap FROM matches_match WHERE id = {match}"
            )
            after: dict[int, timedelta] = {}
            for seat, at, before, source in moves:
                if source in {"web", "mail"}:
                    after[seat] = min(cap, before - running_time(asked, at, stops) + increment)
                asked = at
            for seat, left in self._postgres.rows(
                f"SELECT index, clock_left FROM matches_seat WHERE match_id = {match}"
            ):
                if seat in after and abs(left - after[seat]) > LATE:
                    raise Failed(
                        f"match {match}: seat {seat} has {left} left, to be expected is {after[seat]}"
                    )

    def require_timeouts(self, expected: Mapping[int, int]) -> None:
        """The clock has moved this often in each match, never before the time was up and never a sweep too late."""
        stops = self.stops()
        rows = self._postgres.rows(
            "SELECT m.match_id, m.created_at, m.clock_before, coalesce("
            " (SELECT max(b.created_at) FROM matches_move b WHERE b.match_id = m.match_id AND b.ply < m.ply),"
            " t.started_at) FROM matches_move m JOIN matches_match t ON t.id = m.match_id"
            " WHERE m.source = 'clock'"
        )
        _require_equal("moves of the clock", Counter(match for match, *_ in rows), expected)
        for match, at, bank, asked in rows:
            due = due_at(asked, bank, stops)
            if not due <= at + TOLERANCE or at - due > LATE:
                raise Failed(f"match {match}: time was up at {due}, the clock has moved at {at}")

    def require_reminders(self, expected: Mapping[int, int]) -> None:
        """This many reminders were decided for each match, and each of them has reached its reader."""
        rows = self._postgres.rows(
            "SELECT (data->>'match')::bigint, state FROM notify_outboxmessage WHERE kind = 'reminder'"
        )
        _require_equal("reminders", Counter(match for match, _ in rows), expected)
        if unsent := [row for row in rows if row[1] != "sent"]:
            raise Failed(f"reminders that were not sent: {unsent}")

    def require_mails(self, known: Counter[str] | None = None) -> None:
        """Every mail that the outbox calls sent is in the mailbox, and nothing else is.

        Each came once, except those that had already come at the time of `known` (by Message-ID).
        """
        states = dict(self._postgres.rows("SELECT message_id, state FROM notify_outboxmessage"))
        came = Counter(letter.message_id for letter in self._sink.letters)
        if left := {name: state for name, state in states.items() if state not in {"sent", "skipped"}}:
            raise Failed(f"mails that are left: {left}")
        _require_equal("mails", set(came), {name for name, state in states.items() if state == "sent"})
        if known is not None and (twice := {name for name in came if came[name] > max(1, known[name])}):
            raise Failed(f"mails that came twice: {twice}")


def due_at(asked: datetime, bank: timedelta, stops: list[Span]) -> datetime:
    """The instant at which a question put then runs out, after all stops in between."""
    due = asked + bank
    for start, end in sorted(stops):
        if start < due and end > asked:
            due += end - max(start, asked)
    return due


def running_time(since: datetime, until: datetime, stops: list[Span]) -> timedelta:
    """The time outside stops."""
    stopped = (max(timedelta(0), min(until, end) - max(since, start)) for start, end in stops)
    return until - since - sum(stopped, timedelta(0))


def _require_equal(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Failed(f"{what}: found {found}, to be expected {expected}")
