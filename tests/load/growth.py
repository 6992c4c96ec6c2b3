"""The cost of one move, one mail and the pages among ten and a hundred times as many matches, players and mails."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.models import Model
from django.test import Client

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay, sitters
from gemserver.matches.models import Match, Move, Notice, Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.load.figures import Figure, Say

SIZES = (100, 1_000, 10_000)
"""Matches in the crowd, as many players, and for each match its seats, some nine moves and eight mails."""
SAMPLE, ROUNDS = 6, 5
MOST = 1.5

Act = Callable[[Match], object]


def measure(say: Say, folder: Path) -> list[Figure]:
    """Time the same acts at each size of the crowd; report the medians."""
    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS.append("testserver")
    players = [make_user("ana"), make_user("ben")]
    moderator = make_user("mod", role=Role.MODERATOR)
    played, shown = ([make_match("gem", players, now=clock.now()) for _ in range(SAMPLE)] for _ in range(2))
    pattern = begin_pattern(players)
    moves: dict[str, Act] = {"a move": move, "a mail that moves": send_mail}
    looks = looks_of(moderator)
    found: dict[str, list[float]] = {name: [] for name in [*moves, *looks]}
    present = 0
    for size in SIZES:
        _grow(pattern, present, size)
        present = size
        for acts, matches in ((moves, played), (looks, shown)):
            for name, act in acts.items():
                found[name].append(time_act(act, matches))
        say(
            f"among {size:>6} matches: "
            + ", ".join(f"{name} {times[-1]:.1f} ms" for name, times in found.items())
        )
    return [
        Figure(
            f"{name}, among {more:,} matches",
            times[number],
            f"among {SIZES[0]}",
            times[0],
            "ms",
            "at most",
            MOST,
        )
        for name, times in found.items()
        for number, more in enumerate(SIZES)
        if number
    ]


def looks_of(moderator: User) -> dict[str, Act]:
    """The acts that change nothing."""
    return {
        "the page of a match": _look,
        "the first page": visit("/"),
        "the tables": visit("/tables/"),
        "the matches": visit("/matches/"),
        "the turns of a digest": _gather,
        "a moderator's start page": visit("/admin/", moderator),
        "a moderator's list of mails": visit("/admin/notify/outboxmessage/", moderator),
        "a moderator's list of matches": visit("/admin/matches/match/", moderator),
    }


def time_act(act: Act, matches: list[Match], rounds: int = ROUNDS) -> float:
    """Milliseconds for one act at the machine's best pace, the median of many."""
    for match in matches:
        act(Match.objects.get(pk=match.pk))
    times = []
    for match in matches * rounds:
        read = Match.objects.get(pk=match.pk)
        began = time.perf_counter()
        act(read)
        times.append(1000 * (time.perf_counter() - began) * _best_spin() / _spin())
    return statistics.median(times)


def _spin() -> float:
    """Seconds for constant work: the present speed of the machine, which the sizes cannot share."""
    began = time.perf_counter()
    found: dict[str, int] = {}
    for number in range(4000):
        found[str(number)] = number
    return time.perf_counter() - began


@cache
def _best_spin() -> float:
    return min(_spin() for _ in range(200))


def _asked(match: Match) -> Seat:
    return Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)


def _a_move(seat: Seat) -> str:
    position = replay.position(seat.match)
    return seat.match.rules.write(
        seat.match.rules.random_move(position, seat.index, Chance(uuid4().hex, "m"))
    )


def move(match: Match) -> None:
    seat = _asked(match)
    assert seat.user
    form = {"text": _a_move(seat), "prompt_ply": seat.prompt_ply, "request_id": str(uuid4())}
    assert client_of(seat.user).post(match.get_absolute_url(), form).status_code == 302


def send_mail(match: Match) -> None:
    seat = _asked(match)
    assert seat.user
    raw = (
        f"From: {seat.user.email}\r\nTo: {seat.reply_address}\r\nMessage-ID: <{uuid4()}@client.example.org>\r\n"
        f"Subject: Re: your turn\r\n\r\n{_a_move(seat)}\r\n"
    )
    ingest(raw.encode(), seat.user.email, seat.reply_address, "smtp", {})
    assert processing.process_stored() == 1


def _look(match: Match) -> None:
    user = _asked(match).user
    assert user
    assert client_of(user).get(match.get_absolute_url()).status_code == 200


def visit(path: str, reader: User | None = None) -> Act:
    """Visit as this reader, or as the player who is asked."""

    def visit(match: Match) -> None:
        user = reader or _asked(match).user
        assert user
        assert client_of(user).get(path).status_code == 200

    return visit


def _gather(match: Match) -> None:
    user = _asked(match).user
    assert user
    assert list(sitters.mailed_to(user, clock.now()))


_clients: dict[int, Client] = {}


def client_of(user: User) -> Client:
    if user.pk not in _clients:
        _clients[user.pk] = Client()
        _clients[user.pk].force_login(user)
    return _clients[user.pk]


def begin_pattern(players: list[User]) -> Match:
    """A match with some moves and a mail, the pattern of the crowd."""
    match = make_match("gem", players, now=clock.now())
    for _ in range(8):
        move(Match.objects.get(pk=match.pk))
    send_mail(Match.objects.get(pk=match.pk))
    return match


def _grow(pattern: Match, present: int, size: int) -> None:
    """Add players, matches with their seats, moves and notices, and mails like the pattern's, up to this size."""
    one = pattern.seats.order_by("index")[0].user
    assert one
    name = {"username": "'crowd' || number", "email": "'crowd' || number || '@example.org'"}
    tokens = {"token_hash": "NULL", "feed_token_hash": "NULL"}
    numbers = f"generate_series({present + 1}, {size}) number"
    copy_rows(User, {**name, **tokens}, f"{numbers} WHERE given.id = {one.pk}")
    copy_rows(Match, {"code": "'C' || number"}, f"{numbers} WHERE given.id = {pattern.pk}")
    copies = (
        f"{numbers} JOIN matches_match copy ON copy.code = 'C' || number WHERE given.match_id = {pattern.pk}"
    )
    holder = (
        f"(SELECT id FROM accounts_user WHERE username = 'crowd' || (number + given.index) %% {size} + 1)"
    )
    copy_rows(Seat, {"match_id": "copy.id", "user_id": holder, "token_hash": "NULL"}, copies)
    copy_rows(Move, {"match_id": "copy.id", "request_id": "NULL"}, copies)
    copy_rows(Notice, {"match_id": "copy.id"}, copies)
    for number in range(4):
        ids = {"dedup_key": f"'c{number}-' || number", "message_id": f"'<c{number}-' || number || '>'"}
        first = OutboxMessage.objects.filter(kind="turn").earliest("pk").pk
        sent = {"state": "'sent'", "sent_at": "given.created_at", "thread": "'crowd:' || number"}
        copy_rows(OutboxMessage, {**ids, **sent}, f"{numbers} WHERE given.id = {first}")
        mail = InboundEmail.objects.earliest("pk").pk
        copy_rows(InboundEmail, {"key": f"'c{number}-' || number"}, f"{numbers} WHERE given.id = {mail}")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


def copy_rows(model: type[Model], changes: dict[str, str], source: str) -> None:
    """Insert rows like the `given` ones of the source, with some columns changed to these expressions."""
    columns = [
        field.column for field in model._meta.local_concrete_fields if field is not model._meta.auto_field
    ]
    values = ", ".join(changes.get(column, f'given."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} given, {source}", [])
