"""The cost of one match, move or mail: bytes per row of each table with its indexes, CPU of ours and of PostgreSQL.

On PostgreSQL; Django has to be set up before this is imported.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.apps import apps
from django.core import mail as locmem
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import override_settings, setup_test_environment

from games import registry
from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay, sweeps
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter

ROUNDS = 2
"""Matches of each game: one unmeasured round first, so that tables and indexes have begun."""
SEATS = 3
LONGEST = 24
"""Moves after which a match is left; the cost of a longer one is computed from them."""
SWEEPS = 20
"""After each match: PostgreSQL's time is reported in hundredths of a second, and one sweep takes less."""
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """CPU seconds of one kind of work, in our process and in PostgreSQL's, and the number of times it was done."""

    ours: float = 0.0
    database: float = 0.0
    times: int = 0

    @property
    def milliseconds(self) -> tuple[float, float]:
        return 1000 * self.ours / max(1, self.times), 1000 * self.database / max(1, self.times)


@dataclass
class Units:
    """All measurements."""

    rows: Counter[str] = field(default_factory=Counter)
    """Rows by table, of the matches that were measured."""
    size: Counter[str] = field(default_factory=Counter)
    """Their bytes, with indexes and out-of-line values."""
    indexes: Counter[str] = field(default_factory=Counter)
    """Bytes of the indexes alone."""
    costs: dict[str, Cost] = field(default_factory=dict)
    matches: int = 0
    moves: int = 0
    asked: int = 0
    """Moves that somebody was asked for; the others were forced."""
    wal: int = 0
    """Bytes that PostgreSQL wrote to its log."""

    def row(self, table: str) -> float:
        return self.size[table] / max(1, self.rows[table])

    def per_hundred(self, table: str) -> float:
        """Rows for a hundred moves that were asked for."""
        return 100 * self.rows[table] / self.asked

    @contextmanager
    def timed(self, kind: str, times: int = 1) -> Iterator[None]:
        cost = self.costs.setdefault(kind, Cost())
        database, began = _database_seconds(), time.process_time()
        yield
        cost.ours += time.process_time() - began
        cost.database += _database_seconds() - database
        cost.times += times


def measure(say: Callable[[str], object]) -> Units:
    """Play matches of all games, by web and by mail in turn, with every mail written and sent."""
    call_command("migrate", verbosity=0)
    setup_test_environment()
    people = [make_user(name) for name in ("ana", "ben", "cy")]
    first = Units()
    _play_round(first, people, 0)
    units = Units()
    before = _tables()
    wal = _wal()
    for number in range(1, ROUNDS):
        _play_round(units, people, number)
    units.wal = _wal() - wal
    for table, (rows, size, indexes) in _tables().items():
        units.rows[table] = rows - before[table][0]
        units.size[table] = size - before[table][1]
        units.indexes[table] = indexes - before[table][2]
    say(f"{units.matches} matches of all games, {units.moves} moves, {units.asked} of them asked for")
    return units


def _play_round(units: Units, people: list[User], number: int) -> None:
    for game in sorted(registry.GAMES):
        meta = registry.game(game).rules.meta
        seats = max(meta.min_seats, min(SEATS, meta.max_seats))
        match = make_match(game, people[:seats], now=clock.now())
        units.matches += 1
        _play(units, match, Chance(f"{number:064x}", f"size {game}"))


def _play(units: Units, match: Match, chance: Chance) -> None:
    clients = {}
    while match.is_running and match.ply < LONGEST:
        _send_mails(units)
        seat = match.seats.select_related("user", "match").filter(is_waiting=True)[0]
        assert seat.user
        if seat.user not in clients:
            clients[seat.user] = Client()
            clients[seat.user].force_login(seat.user)
        text = match.rules.write(match.rules.random_move(replay.position(match), seat.index, chance))
        if units.asked % 2:
            _move_by_mail(units, seat, text)
        else:
            _move_on_the_web(units, seat, text, clients[seat.user])
        units.asked += 1
        match.refresh_from_db()
    units.moves += match.ply
    _send_mails(units)
    for _ in range(SWEEPS):
        with units.timed("sweep with nothing to do"):
            sweeps.act_on_deadlines()


def _move_on_the_web(units: Units, seat: Seat, text: str, client: Client) -> None:
    path = seat.match.get_absolute_url()
    with units.timed("page of a match"):
        page = client.get(path)
    request_id = page.context["page"].request_id
    form = {"text": text, "prompt_ply": seat.prompt_ply, "request_id": str(request_id), "play": "1"}
    with units.timed("move on the web"):
        answer = client.post(path, form)
    assert answer.status_code == 302, answer.content
    with units.timed("progress asked for"):
        assert client.get(f"{path}progress/").status_code == 200


def _move_by_mail(units: Units, seat: Seat, text: str) -> None:
    assert seat.user
    turn = next(
        m for m in reversed(locmem.outbox) if m.to == [seat.user.email] and seat.match.code in m.subject
    )
    raw = letter(seat, text, answering=turn, Message_ID=f"<{seat.pk}.{seat.prompt_ply}@client.example>")
    with units.timed("mail stored"):
        row = ingest(raw, seat.user.email, seat.reply_address, "smtp", {})
    with units.timed("mail read and played"):
        processing.process_stored()
    row.refresh_from_db()
    assert row.state == "done", (row.state, row.results)


def _send_mails(units: Units) -> None:
    now, relay = clock.now(), delivery.Relay()
    while pks := delivery.claim(now, limit=1):
        for pk in pks:
            kind = delivery.OutboxMessage.objects.values_list("kind", flat=True).get(pk=pk)
            name = "turn mail" if kind == "turn" else "other mail"
            with override_settings(KEEP_RENDERED_MAIL=False), units.timed(f"{name} written and handed over"):
                delivery.deliver(pk, now + delivery.CLAIM, relay)


def _tables() -> dict[str, tuple[int, int, int]]:
    """Rows, bytes in all, bytes of indexes, by table."""
    found = {}
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            cursor.execute(
                f'SELECT (SELECT count(*) FROM "{table}"), pg_total_relation_size(%s), pg_indexes_size(%s)',
                [table, table],
            )
            found[table] = cursor.fetchone()
    return found


def _wal() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")
        return int(cursor.fetchone()[0])


def _database_seconds() -> float:
    """CPU of the PostgreSQL process that serves us, without its writes in the background."""
    connection.ensure_connection()
    assert connection.connection is not None
    fields = (
        Path(f"/proc/{connection.connection.info.backend_pid}/stat").read_text().rpartition(")")[2].split()
    )
    return (int(fields[11]) + int(fields[12])) / _TICK
