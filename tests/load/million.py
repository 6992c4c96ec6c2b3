"""The cost of sweeps, moves, mails, pages and moderators' lists among a million running matches."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.models import F, Model

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.models import Heartbeat, Match, Move, Seat
from gemserver.moderation import stuck_matches
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.load.figures import Figure, Say
from tests.load.growth import (
    Act,
    begin_pattern,
    copy_rows,
    looks_of,
    move,
    send_mail,
    time_act,
    visit,
)

SIZES = (10_000, 1_000_000)
"""Running matches. Each has what it cannot do without: two seats, a move, a mail out and one in; players have ten."""
PLAYED = 10
SAMPLE, ROUNDS = 3, 3
DUE = 40
"""Deadlines that a sweep acts on."""
MOST = 1.5


def measure(say: Say, folder: Path) -> list[Figure]:
    """Time the same acts among few and among many; report the medians."""
    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS.append("testserver")
    fill_quickly()
    players = [make_user("ana"), make_user("ben")]
    moderator = make_user("mod", role=Role.MODERATOR)
    played, shown = ([make_match("gem", players, now=clock.now()) for _ in range(SAMPLE)] for _ in range(2))
    pattern = begin_pattern(players)
    delivery.send_queued()
    moves: dict[str, Act] = {"a move": move, "a mail that moves": send_mail, "a move and its mails": _play}
    looks = looks_of(moderator) | _lists(moderator)
    found: dict[str, list[float]] = {}
    present = 0
    for size in SIZES:
        began = time.perf_counter()
        _grow(pattern, present, size)
        present = size
        say(f"{size:>9} matches filled in, {time.perf_counter() - began:.0f} s, {_size_of_database()}")
        for acts, matches in ((moves, played), (looks, shown)):
            for name, act in acts.items():
                found.setdefault(name, []).append(took := time_act(act, matches, ROUNDS))
                say(f"    {name}: {took:.1f} ms")
        for name, took in _sweep(size).items():
            found.setdefault(name, []).append(took)
            say(f"    {name}: {took:.1f} ms")
    few, many = SIZES
    return [
        Figure(
            f"{name}, among {many:,} matches",
            times[1],
            f"among {few:,}",
            times[0],
            "ms",
            "at most",
            None if name == HOURLY else MOST,
        )
        for name, times in found.items()
    ]


HOURLY = "the hourly look for stuck matches"
"""It looks at every running match, so that its cost grows with them."""


def _play(match: Match) -> None:
    move(match)
    delivery.send_queued()


def _lists(moderator: User) -> dict[str, Act]:
    """Lists of the moderators in other orders, and searched: by parts of names and addresses, by codes."""
    asked = {
        "incoming mail": "inbox/inboundemail/",
        "the seats by deadline": "matches/seat/?o=5",
        "the accounts by name": "accounts/user/?o=1",
        "matches, part of a name": "matches/match/?q=rowd77",
        "a match by code": "matches/match/?q=c77",
        "accounts, by address": "accounts/user/?q=d77@example",
        "a frequent word": "accounts/user/?q=example",
        "mails to part of an address": "notify/outboxmessage/?q=d77@example",
        "mails of part of an address": "inbox/inboundemail/?q=d77@example",
        "a word that nothing has": "inbox/inboundemail/?q=nosuchthing",
    }
    return {f"list: {name}": visit(f"/admin/{path}", moderator) for name, path in asked.items()}


def _sweep(size: int) -> dict[str, float]:
    """Milliseconds of a sweep that finds nothing, of one deadline that is acted on, and of the hourly look."""
    Heartbeat.objects.update(at=clock.now())  # no sweep ran while rows were filled in, which is no downtime
    idle = statistics.median(_time(sweeps.act_on_deadlines) for _ in range(15))
    codes = [f"C{size - number}" for number in range(DUE)]
    due = Seat.objects.filter(match__code__in=codes, is_waiting=True)
    over = clock.now() - timedelta(minutes=1)
    due.update(due_at=over, prompted_at=over - F("clock_left"))
    busy = _time(sweeps.act_on_deadlines)
    acted = Move.objects.filter(match__code__in=codes, source=Move.Source.CLOCK).count()
    assert acted >= DUE, f"{acted} of {DUE} deadlines were acted on"
    delivery.send_queued()
    return {
        "a sweep that finds nothing due": idle,
        "a deadline that is acted on": busy / DUE,
        HOURLY: _time(lambda: stuck_matches.find_all(clock.now())),
    }


def _time(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)


def fill_quickly() -> None:
    """Let PostgreSQL neither wait for the disk nor write its log in small pieces: nothing of it is to last."""
    with connection.cursor() as cursor:
        for setting in ("fsync = off", "synchronous_commit = off", "max_wal_size = '8GB'"):
            cursor.execute(f"ALTER SYSTEM SET {setting}")
        cursor.execute("SELECT pg_reload_conf()")


def _grow(pattern: Match, present: int, size: int) -> None:
    """Add matches like the pattern, with their players and mails, up to this size."""
    ana = pattern.seats.select_related("user").get(index=0).user
    assert ana
    numbers = f"generate_series({present + 1}, {size}) number"
    people = f"generate_series({present // PLAYED + 1}, {size // PLAYED}) number"
    name, address = "'crowd' || number", "'crowd' || number || '@example.org'"
    player = _holder("number", size)
    recipient = f"'crowd' || (number %% {size // PLAYED} + 1) || '@example.org'"
    spread = "interval '1 day' + number * interval '1 second'"
    last = pattern.moves.latest("ply").pk
    mail = OutboxMessage.objects.filter(kind="turn", user=ana).earliest("pk").pk
    row = InboundEmail.objects.earliest("pk").pk
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # the keys are right: look none up
    _copy(
        User,
        {"username": name, "email": address, "token_hash": "NULL", "feed_token_hash": "NULL"},
        people,
        ana.pk,
    )
    crowd = f"{people} JOIN accounts_user copy ON copy.username = {name}"
    _copy(
        EmailAddress,
        {"user_id": "copy.id", "email": "copy.email"},
        crowd,
        EmailAddress.objects.get(user=ana).pk,
    )
    _analyze()
    _copy(Match, {"code": "'C' || number"}, numbers, pattern.pk)
    _analyze()
    copies = "(SELECT id, substr(code, 2)::int AS number FROM matches_match WHERE code LIKE 'C%%') copy"
    copies = f"(SELECT * FROM {copies} WHERE copy.number > {present}) copy(id, number)"
    due = {"due_at": f"given.due_at + {spread}", "remind_at": f"given.remind_at + {spread}"}
    for seat in pattern.seats.all():
        _copy(
            Seat,
            {
                "match_id": "copy.id",
                "user_id": _holder("(number + given.index)", size),
                "token_hash": "NULL",
                **due,
            },
            copies,
            seat.pk,
        )
    _copy(Move, {"match_id": "copy.id", "request_id": "NULL", "actor_id": player}, copies, last)
    ids = {
        "dedup_key": "'c' || number",
        "message_id": "'<c' || number || '>'",
        "thread": "'match:' || copy.id",
    }
    sent = {"state": "'sent'", "sent_at": "given.created_at", "to": recipient, "user_id": player}
    sent |= {"rendered": "NULL", "sent_words": "NULL"}  # forgotten after a month
    _copy(OutboxMessage, {**ids, **sent}, copies, mail)
    mine = {
        "key": "'c' || number",
        "message_id": "number || '@example.org'",
        "user_id": player,
        "sender": recipient,
    }
    _copy(InboundEmail, {**mine, "seat_id": "NULL", "raw": "NULL"}, copies, row)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


def _holder(number: str, size: int) -> str:
    """The account of the player with this number."""
    return f"(SELECT id FROM accounts_user WHERE username = 'crowd' || ({number} %% {size // PLAYED} + 1))"


def _copy(model: type[Model], changes: dict[str, str], source: str, key: int) -> None:
    copy_rows(model, changes, f"{source} WHERE given.id = {key}")


def _analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_user, matches_match")


def _size_of_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_size_pretty(pg_database_size(current_database()))")
        (size,) = cursor.fetchone()
    return str(size)
