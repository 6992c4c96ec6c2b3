"""The cost of pages of players and games among ten and a hundred times as many finished matches and players."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from games.ratings import SETTLED
from gemserver.accounts.models import User
from gemserver.accounts.name_keys import NameKey
from gemserver.accounts.name_search import find_keys
from gemserver.lib import clock
from gemserver.matches.models import Match, Seat
from gemserver.ratings import counting
from gemserver.ratings.models import (
    Contender,
    CountedMatch,
    GameTally,
    PlayedMatch,
    Pool,
    Rating,
    RatingChange,
)
from tests.builders import make_match, make_user, play_to_the_end
from tests.load.figures import Figure, Say
from tests.load.growth import MOST, Act, client_of, copy_rows, time_act

SIZES = (1_000, 10_000, 100_000)
"""Finished matches of three, and a tenth as many players: each has played some thirty."""
SHARE = 10
SAMPLE = 6


def measure(say: Say, folder: Path) -> list[Figure]:
    """Time the same pages at each size of the crowd; report the medians."""
    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS.append("testserver")
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    pattern = play_to_the_end(make_match("gem", players, now=clock.now()), now=clock.now())
    counting.count_match(pattern.pk)
    _rate(pattern, players)
    fresh = [
        play_to_the_end(make_match("gem", players, now=clock.now()), now=clock.now()) for _ in range(SAMPLE)
    ]
    reader = players[1]
    acts: dict[str, Act] = {
        "the page of a player": _visit(reader, "/players/crowd7/"),
        "that page, filtered": _visit(reader, "/players/crowd7/?game=gem&result=won&opponent=crowd8"),
        "the search for players": _visit(reader, "/players/?q=crovd17"),
        "the figures of a game": _visit(reader, "/games/gem/?seats=3"),
        "a leaderboard": _visit(reader, "/games/gem/leaderboard/"),
        "a sweep that counts nothing": lambda match: counting.count_finished(),
        "counting a match": lambda match: counting.count_match(match.pk),
    }
    found: dict[str, list[float]] = {name: [] for name in acts}
    present = 0
    for size in SIZES:
        _grow(pattern, present, size)
        present = size
        assert find_keys("crovd17"), "the search with a slip finds somebody"
        counting.count_finished()
        for name, act in acts.items():
            found[name].append(time_act(act, fresh))
        say(
            f"among {size:>7} finished matches: "
            + ", ".join(f"{name} {times[-1]:.1f} ms" for name, times in found.items())
        )
    return [
        Figure(
            f"{name}, among {more:,} finished",
            times[number],
            f"among {SIZES[0]:,}",
            times[0],
            "ms",
            "at most",
            MOST,
        )
        for name, times in found.items()
        for number, more in enumerate(SIZES)
        if number
    ]


def _visit(reader: User, path: str) -> Act:
    def visit(match: Match) -> None:
        assert client_of(reader).get(path).status_code == 200

    return visit


def _rate(match: Match, players: list[User]) -> None:
    pool = Pool.objects.create(game="gem")
    for seat, player in enumerate(players):
        contender = Contender.objects.create(user=player)
        Rating.objects.create(
            pool=pool, contender=contender, mu=25, sigma=SETTLED - 1, matches=30, last_at=clock.now()
        )
        RatingChange.objects.create(
            match=match,
            seat=seat,
            pool=pool,
            contender=contender,
            finished_at=match.finished_at or clock.now(),
            place=1,
            why=RatingChange.Why.PLAYED,
            mu_before=25,
            sigma_before=8,
            mu_after=25,
            sigma_after=7,
        )


def _grow(pattern: Match, present: int, size: int) -> None:
    """Add finished, counted and rated matches like the pattern, and players with ratings, up to this size."""
    one = pattern.seats.order_by("index")[0].user
    assert one
    crowd = size // SHARE
    numbers = f"generate_series({present // SHARE + 1}, {crowd}) number"
    name = {"username": "'crowd' || number", "email": "'crowd' || number || '@example.org'"}
    copy_rows(
        User,
        {**name, "token_hash": "NULL", "feed_token_hash": "NULL"},
        f"{numbers} WHERE given.id = {one.pk}",
    )
    users = f"{numbers} JOIN accounts_user copy ON copy.username = 'crowd' || number"
    copy_rows(
        NameKey,
        {"user_id": "copy.id", "key": "copy.username"},
        f"{users} WHERE given.user_id = {one.pk} AND given.is_whole",
    )
    slips = f"{users} CROSS JOIN generate_series(1, length(copy.username)) place"
    slip = "left(copy.username, place - 1) || substr(copy.username, place + 1)"
    copy_rows(
        NameKey,
        {"user_id": "copy.id", "key": slip, "is_whole": "false"},
        f"{slips} WHERE given.user_id = {one.pk} AND given.is_whole",
    )
    copy_rows(
        Contender,
        {"user_id": "copy.id", "pseudonym": "left(md5(copy.username), 12)"},
        f"{users} WHERE given.user_id = {one.pk}",
    )
    contenders = f"{users} JOIN ratings_contender who ON who.user_id = copy.id"
    own = Contender.objects.get(user=one)
    copy_rows(
        Rating,
        {"contender_id": "who.id", "mu": "20 + mod(number * 7919, 10007) / 1000.0"},
        f"{contenders} WHERE given.contender_id = {own.pk}",
    )
    _copy_matches(pattern, present, size, crowd)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


def _copy_matches(pattern: Match, present: int, size: int, crowd: int) -> None:
    """Copy the pattern's rows; its three seats go to players of the crowd, who meet some of the others often."""
    numbers = f"generate_series({present + 1}, {size}) number"
    at = "given.finished_at - number * interval '1 minute'"
    copy_rows(Match, {"code": "'C' || number", "finished_at": at}, f"{numbers} WHERE given.id = {pattern.pk}")
    copies = f"{numbers} JOIN matches_match copy ON copy.code = 'C' || number"
    copy_rows(
        CountedMatch,
        {"match_id": "copy.id", "finished_at": "copy.finished_at"},
        f"{copies} WHERE given.match_id = {pattern.pk}",
    )
    other = f"mod(number + given.index * (1 + mod(number, 7)), {crowd}) + 1"
    seat = f"(SELECT id FROM accounts_user WHERE username = 'crowd' || {other})"
    copy_rows(
        Seat,
        {"match_id": "copy.id", "user_id": seat, "token_hash": "NULL"},
        f"{copies} WHERE given.match_id = {pattern.pk}",
    )
    with connection.cursor() as cursor:
        columns = [field.column for field in PlayedMatch._meta.local_concrete_fields if not field.primary_key]
        values = {
            "match_id": "seat.match_id",
            "user_id": "seat.user_id",
            "rank": "seat.rank",
            "score": "seat.score",
            "finished_at": "copy.finished_at",
        }
        chosen = ", ".join(values.get(column, f'given."{column}"') for column in columns)
        cursor.execute(
            f"INSERT INTO ratings_playedmatch ({', '.join(columns)}) SELECT {chosen} FROM ratings_playedmatch given, "
            f"{copies} JOIN matches_seat seat ON seat.match_id = copy.id "
            f"WHERE given.match_id = {pattern.pk} AND given.user_id = {pattern.seats.all()[0].user_id}"
        )
        columns = [
            field.column for field in RatingChange._meta.local_concrete_fields if not field.primary_key
        ]
        values = {
            "match_id": "seat.match_id",
            "seat": "seat.index",
            "contender_id": "who.id",
            "finished_at": "copy.finished_at",
            "mu_after": "20 + mod(number * 7919, 10007) / 1000.0",
        }
        chosen = ", ".join(values.get(column, f'given."{column}"') for column in columns)
        cursor.execute(
            f"INSERT INTO ratings_ratingchange ({', '.join(columns)}) SELECT {chosen} FROM ratings_ratingchange "
            f"given, {copies} JOIN matches_seat seat ON seat.match_id = copy.id "
            f"JOIN ratings_contender who ON who.user_id = seat.user_id "
            f"WHERE given.match_id = {pattern.pk} AND given.seat = 0"
        )
        cursor.execute(
            "INSERT INTO ratings_gametally (game, seat_count, kind, key, count, wins) "
            "SELECT 'gem', 3, kind, number::text, 1, 0 FROM generate_series(1, 300) number, "
            f"unnest(ARRAY['{GameTally.Kind.PLIES}', '{GameTally.Kind.DAYS}', '{GameTally.Kind.OPENING}']) kind "
            "ON CONFLICT DO NOTHING"
        )
