"""An hour without Redis, a day without a worker, two schedulers at once, a worker killed in mid-sweep, a wrong clock.

Real processes on a clock that is moved: some people go on moving by web and by mail, while others' deadlines and
reminders fall due. The results are compared with those that `tests.services.reckoning` computes independently.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from datetime import datetime, timedelta

import redis

from tests.services.club import Correspondent, plain_text
from tests.services.daemons import Postgres, Redis
from tests.services.log import say
from tests.services.players import WebPlayer
from tests.services.processes import Failed, wait_for
from tests.services.reckoning import Reckoning
from tests.services.sink import Sink
from tests.services.site import Site

NO_DELAY = 8
"""Seconds that a move may take during an outage: a few pages on a machine that is busy with much else."""
PATIENCE = 60
PASSWORD = "correct horse battery staple"
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
STEP = 3 * MINUTE
"""Step of the clock while all is well: shorter than what would be taken for downtime."""
QUEUED = 8
STANDS_STILL = "the scheduler has stood still since"
STILL_AT_WORK = 2
"""Seconds in which the worker finishes the task in hand."""
QUEUES = ("celery", "deadlines", "bots", "read", "send", "channels", "ratings", "events")
STALE_SWEEPS = 20
"""Messages that a worker finds when it comes back, and that no sweep of its day has expired."""
SOME = 3
"""Deadlines that a sweep has acted on when its worker is killed."""


def live_through_outages(site: Site, postgres: Postgres, broker: Redis, sink: Sink) -> None:
    """Run everything. Raises Failed."""
    outages = Outages(site, postgres, broker, sink)
    outages.sit_down()
    outages.be_without_redis()
    outages.be_without_worker()
    outages.have_two_schedulers()
    outages.have_a_wrong_clock()


class Outages:
    """Nora plays on the web, Omar by mail; the others never answer."""

    def __init__(self, site: Site, postgres: Postgres, broker: Redis, sink: Sink) -> None:
        self._site = site
        self._postgres = postgres
        self._broker = broker
        self._sink = sink
        self._clock = site.clock
        self._reckoning = Reckoning(postgres, sink)
        self._chance = random.Random(5)
        self._nora = WebPlayer("nora", "A", sink, self._chance, site.browser())
        self._omar = Correspondent("omar", plain_text, sink, site.smtp_port)
        self._matches: dict[str, list[int]] = {}
        self._reminders: Counter[int] = Counter()
        self._timeouts: Counter[int] = Counter(
            match for (match,) in postgres.rows("SELECT match_id FROM matches_move WHERE source = 'clock'")
        )

    def sit_down(self) -> None:
        self._matches = json.loads(
            self._site.python(
                "-m", "tests.services.outage_tables", self._nora.address, self._omar.address, PASSWORD
            )
        )
        # With four hours left these were due at once.
        self._reminders.update(self._matches["due first"])
        self._nora.sign_in(PASSWORD)
        wait_for("the first turns", self._all_are_asked, seconds=PATIENCE)
        self._settle()
        self._check(credits=0)
        say(f"{sum(map(len, self._matches.values()))} matches run; two people will answer, nobody else")

    def be_without_redis(self) -> None:
        """Nothing is swept or sent; moves are taken; the hour counts on nobody's clock."""
        known = self._known_mails()
        self._broker.stop()
        worker = self._site.processes["worker"]
        wait_for(
            "the worker to notice", lambda: "Connection to broker lost" in worker.output, seconds=PATIENCE
        )
        time.sleep(STILL_AT_WORK)
        went = self._clock.now()
        self._clock.move(HOUR / 2)
        mails = self._answer_all()
        self._clock.move(HOUR / 2)
        came = self._clock.now()
        self._require_unread(mails)
        self._broker.start()
        self._wait_for_credit(1)
        self._settle()
        self._reckoning.require_credit(1, (went, came))
        self._require_moves_of(mails, (went, came))
        self._check(credits=1, known=known)
        say("an hour without Redis: everybody moved, nothing is lost, the hour is credited once")

        self._let_pass(16 * MINUTE)
        self._reminders.update(self._matches["reminded first"])
        self._timeouts.update(self._matches["due first"])
        self._check(credits=1, known=known)
        say("what fell due within that hour came an hour later, each thing once")

    def be_without_worker(self) -> None:
        """The scheduler fills the queue for a day; the worker that comes back sweeps once for all of it."""
        known = self._known_mails()
        wait_for("the turns of all matches", self._all_are_asked, seconds=PATIENCE)
        self._site.processes["worker"].stop()
        went = self._clock.now()
        self._site.fill_queue(STALE_SWEEPS)
        queue = redis.Redis.from_url(self._broker.url)
        wait_for("a full queue", lambda: _count_messages(queue) >= STALE_SWEEPS + QUEUED, seconds=PATIENCE)
        self._clock.move(DAY / 2)
        mails = self._answer_all()
        self._clock.move(DAY / 2)
        came = self._clock.now()
        self._require_unread(mails)
        self._require_probe(STANDS_STILL)
        say(f"a day without a worker; {_count_messages(queue)} messages wait for it")
        self._site.processes["worker"].start()
        self._site.wait_for_worker()
        self._wait_for_credit(2)
        # Their readers know a due time that was postponed by a day since: the last reminder is sent once more.
        self._reminders.update(self._matches["reminded first"])
        self._settle()
        self._reckoning.require_credit(2, (went, came))
        self._require_moves_of(mails, (went, came))
        self._check(credits=2, known=known)
        self._require_probe()
        say("a day without a worker: nobody's time was up, the day is credited once")

    def have_two_schedulers(self) -> None:
        """Every sweep is asked for twice, two run at once, and a worker is killed in one of them."""
        known = self._known_mails()
        first, second = self._site.processes["beat"], self._site.second_beat()
        second.start()
        try:
            self._let_pass(self._soonest_due("due later") - self._clock.now() - MINUTE)
            self._clock.move(2 * MINUTE)
            self._kill_worker_in_mid_sweep()
            self._settle()
            first.stop()
            self._let_pass(2 * STEP)  # which shows that the second was at work as well
        finally:
            second.stop()
        first.start()
        self._reminders.update(self._matches["reminded later"])
        self._timeouts.update(self._matches["due later"])
        self._check(credits=2)
        doubles = sum((self._known_mails() - known).values()) - len(self._known_mails().keys() - known.keys())
        say(
            f"two schedulers and a killed worker: everything once; mails that came twice, as they may: {doubles}"
        )

    def have_a_wrong_clock(self) -> None:
        """It jumps ahead, which looks like an hour of downtime, and is put right again: nothing is won or lost."""
        known = self._known_mails()
        due = self._due_times()
        self._clock.move(HOUR)
        self._wait_for_credit(3)
        self._clock.move(-HOUR)
        wait_for("the credit to end", lambda: not self._is_credit_to_come(), seconds=PATIENCE)
        self._wait_for_credit(3)
        self._settle()
        # One line reports the credit, another that it was cut.
        self._check(credits=4, known=known)
        for match, at in self._due_times().items():
            if not timedelta(0) <= at - due[match] < MINUTE:
                raise Failed(f"match {match} was due at {due[match]}, after a wrong clock it is at {at}")
        say("the clock jumped an hour ahead and back: every due time is what it was")

    def _answer_all(self) -> int:
        """Everybody who is asked moves, on the web without delay; returns the number of mails that were sent."""
        for letter in self._nora.new_turns():
            began = time.monotonic()
            self._nora.answer(letter)
            if time.monotonic() - began > NO_DELAY:
                raise Failed(f"a move on the web took {time.monotonic() - began:.1f} s")
        before = self._omar.moves
        while self._omar.play(self._chance):
            pass
        return self._omar.moves - before

    def _all_are_asked(self) -> bool:
        """True if in each match one of the two knows that it is their turn."""
        return self._nora.new_turn_count + self._omar.new_turn_count == len(self._matches["played"])

    def _require_unread(self, number: int) -> None:
        """The mail receiver has stored this many mails, and nobody has read them."""
        count = self._postgres.count("inbox_inboundemail", "state = 'stored'")
        if count != number:
            raise Failed(f"{number} mails were sent, {count} are stored")

    def _require_moves_of(self, mails: int, span: tuple[datetime, datetime]) -> None:
        """Each mail of that time was a move at the time of its receipt, and each was answered."""
        received = self._postgres.rows(
            "SELECT i.received_at, (SELECT count(*) FROM matches_move m WHERE m.source = 'mail'"
            f" AND m.created_at = i.received_at) FROM inbox_inboundemail i WHERE {_within('i.received_at', span)}"
        )
        if [count for _, count in received] != [1] * mails:
            raise Failed(f"{mails} mails were sent; receipt and moves of each: {received}")
        answers = len(self._omar.answers)
        if answers != self._omar.moves:
            raise Failed(f"omar sent {self._omar.moves} mails and got {answers} answers")

    def _require_probe(self, trouble: str = "") -> None:
        """The web server's probe reports that nothing is swept, or that all is well."""
        page = self._site.browser().get("/readyz")
        if page.status != 200 or trouble not in page.text or bool(trouble) != (STANDS_STILL in page.text):
            raise Failed(f"/readyz says {page.status}, {page.text!r}; to be expected is {trouble!r}")

    def _check(self, *, credits: int, known: Counter[str] | None = None) -> None:
        """Check everything that must hold when nothing is left to do; `credits` counts lines in the logs."""
        self._reckoning.require_lines(credits)
        self._reckoning.require_clocks()
        self._reckoning.require_banks(self._matches["played"])
        self._reckoning.require_timeouts(self._timeouts)
        self._reckoning.require_reminders(self._reminders)
        self._reckoning.require_mails(known)
        ran_out = len(self._matches["due first"]) if self._timeouts else 0
        told = {letter.message_id for letter in self._sink.letters if letter.kind == "o"}
        if len(told) != ran_out:
            raise Failed(f"{ran_out} players were to be told that time ran out, {len(told)} were")

    def _wait_for_credit(self, number: int) -> None:
        def is_told() -> bool:
            return self._postgres.count("matches_stop", "is_told") == number

        wait_for(f"credit number {number} to be told", is_told, seconds=PATIENCE, watched=self._site.watched)

    def _settle(self) -> None:
        """Wait until nothing is due, nothing unread and nothing unsent."""

        def is_settled() -> bool:
            now = f"'{self._clock.now().isoformat()}'"
            return not (
                self._postgres.count("inbox_inboundemail", "state = 'stored'")
                or self._postgres.count("notify_outboxmessage", "state = 'queued'")
                or self._postgres.count("matches_seat", f"is_waiting AND least(due_at, remind_at) <= {now}")
            )

        wait_for("everything to be done", is_settled, seconds=PATIENCE, watched=self._site.watched)

    def _let_pass(self, span: timedelta) -> None:
        """Let this much time pass on a working server, with sweeps all the while."""
        while span > timedelta(0):
            self._clock.move(min(span, STEP))
            span -= STEP
            moved_at = self._clock.now()
            wait_for("a sweep", lambda: self._last_sweep() >= moved_at, seconds=PATIENCE)  # noqa: B023
            self._settle()

    def _kill_worker_in_mid_sweep(self) -> None:
        crowd = len(self._matches["due later"])
        wait_for("a sweep", lambda: self._moves_of_the_clock("due later") >= SOME, seconds=PATIENCE)
        self._site.processes["worker"].kill()
        done = self._moves_of_the_clock("due later")
        if done == crowd:
            raise Failed("the sweep was over before its worker was killed")
        say(f"the worker was killed with {done} of {crowd} deadlines acted on")
        self._site.processes["worker"].start()
        self._site.wait_for_worker()

    def _moves_of_the_clock(self, what: str) -> int:
        matches = ", ".join(map(str, self._matches[what]))
        return self._postgres.count("matches_move", f"source = 'clock' AND match_id IN ({matches})")

    def _last_sweep(self) -> datetime:
        [(at,)] = self._postgres.rows("SELECT at FROM matches_heartbeat WHERE duty = 'sweep'")
        assert isinstance(at, datetime)
        return at

    def _soonest_due(self, what: str) -> datetime:
        return min(at for match, at in self._due_times().items() if match in self._matches[what])

    def _due_times(self) -> dict[int, datetime]:
        return dict(self._postgres.rows("SELECT match_id, due_at FROM matches_seat WHERE is_waiting"))

    def _is_credit_to_come(self) -> bool:
        return any(end > self._clock.now() for _, end in self._reckoning.stops())

    def _known_mails(self) -> Counter[str]:
        return Counter(letter.message_id for letter in list(self._sink.letters))


def _within(column: str, span: tuple[datetime, datetime]) -> str:
    start, end = span
    return f"{column} BETWEEN '{start.isoformat()}' AND '{end.isoformat()}'"


def _count_messages(broker: redis.Redis) -> int:
    return sum(int(broker.llen(name)) for name in QUEUES)
