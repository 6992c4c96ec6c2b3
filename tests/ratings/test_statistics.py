"""Finished public matches are counted once, rightly, and those of private clubs not at all."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.actions.clubs.open_club import change_club
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.models import Match, Move
from gemserver.ratings import answer_times, counting
from gemserver.ratings.match_statistics import WHOLE_WIN
from gemserver.ratings.models import CountedMatch, GameTally, PlayedMatch
from gemserver.ratings.statistics import PlayerStatistics
from tests.builders import NOON, asked, make_match, make_user, play, play_to_the_end
from tests.clubs.people import make_club

pytestmark = pytest.mark.django_db

DEAL = "5" * 64


@pytest.fixture
def players() -> list[User]:
    return [make_user("ana"), make_user("ben"), make_user("cy")]


def first_legal(match: Match) -> tuple[int, str]:
    seat = asked(match)
    moves = match.rules.legal_moves(replay.position(Match.objects.get(pk=match.pk)), seat.index)
    return seat.index, match.rules.write(next(moves))


@pytest.mark.slow
def test_every_finished_match_is_counted_once(players: list[User]) -> None:
    match = play_to_the_end(make_match(players=players, server_part=DEAL))
    running = make_match(players=players)
    assert counting.count_finished() == 1
    assert counting.count_finished() == 0
    assert not CountedMatch.objects.filter(match=running).exists()
    rows = PlayedMatch.objects.filter(match=match)
    assert {row.user_id: row.rank for row in rows} == {seat.user_id: seat.rank for seat in match.seats.all()}
    assert sum(row.above_mean or 0 for row in rows) == pytest.approx(0, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["gem", "jewellers", "gembatan", "florentine"])
def test_the_first_place_is_who_made_the_first_move(players: list[User], game: str) -> None:
    match = play_to_the_end(make_match(game, players))
    counting.count_finished()
    began = Move.objects.exclude(source="auto").filter(match=match).earliest("ply").seat
    places = {row.user_id: row.place for row in PlayedMatch.objects.filter(match=match)}
    seats = {seat.index: seat.user_id for seat in match.seats.all()}
    assert places[seats[began]] == 1
    assert places[seats[(began + 1) % 3]] == 2


def test_where_all_decide_at_once_nobody_has_a_place(players: list[User]) -> None:
    play_to_the_end(make_match("gemessengers", players))
    counting.count_finished()
    assert set(PlayedMatch.objects.values_list("place", flat=True)) == {None}
    assert not GameTally.objects.filter(kind="place").exists()
    openings = GameTally.objects.filter(kind="opening")
    assert sum(openings.values_list("count", flat=True)) == 3, "the first pick of each"


@pytest.mark.slow
def test_every_match_is_won_once_however_many_share_it(players: list[User]) -> None:
    for _ in range(3):
        play_to_the_end(make_match(players=players))
    match = play_to_the_end(make_match(players=players))
    match.seats.update(rank=1)
    counting.count_finished()
    places = GameTally.objects.filter(kind="place", seat_count=3)
    assert [row.count for row in places] == [4, 4, 4]
    assert sum(row.wins for row in places) == 4 * WHOLE_WIN


@pytest.mark.slow
def test_an_answer_counts_from_the_question_to_the_answer(players: list[User]) -> None:
    match = make_match(players=players[:2])
    now, times = NOON, {}
    while (match := Match.objects.get(pk=match.pk)).is_running:
        seat, text = first_legal(match)
        now += timedelta(hours=5) if seat == 0 else timedelta(minutes=20)
        times[seat] = timedelta(hours=5) if seat == 0 else timedelta(minutes=20)
        play(match, seat, text, now=now)
    counting.count_finished()
    for row in PlayedMatch.objects.select_related("user"):
        median = answer_times.median(answer_times.merge([row.times]))
        assert median is not None
        right = timedelta(hours=5) if row.user == players[0] else timedelta(minutes=20)
        assert abs(median / right - 1) < 0.1
        assert row.answers == match.moves.filter(actor=row.user, request_id__isnull=False).count()


def test_sealed_orders_are_answers_too(players: list[User]) -> None:
    match = make_match(players=players[:2], options={"pace": "sealed"})
    play(match, 0, "pass", now=NOON + timedelta(hours=1))
    play(match, 1, "pass", now=NOON + timedelta(hours=8))
    resign(match.pk, players[0], source=Move.Source.WEB, request_id="r", now=NOON + timedelta(hours=9))
    counting.count_finished()
    found = {row.user.username: row for row in PlayedMatch.objects.select_related("user")}
    assert (found["ana"].answers, found["ben"].answers) == (1, 1)
    assert list(found["ana"].times) == [answer_times.class_of(timedelta(hours=1))]
    assert list(found["ben"].times) == [answer_times.class_of(timedelta(hours=8))]
    call_command("verify_statistics")


def test_who_lost_the_seat_keeps_the_timeouts_and_the_substitute_the_result(players: list[User]) -> None:
    ana, ben, cy = players
    match = make_match(players=[ana, ben], absence=Match.Absence.REPLACE, server_part=DEAL)
    now = NOON
    for _ in range(20):
        now += timedelta(days=4)
        seat = asked(match)
        if seat.misses:
            break
        if seat.user == ana:
            expire_seat(seat.pk, now=now)
        else:
            play(match, *first_legal(match), now=now)
    expire_seat(seat.pk, now=now)
    lost = match.seats.get(is_open=True)
    take_seat(match.pk, lost.index, cy, now=now + timedelta(days=5))
    play_to_the_end(match, now=now + timedelta(days=6))
    counting.count_finished()
    rows = {row.user.username: row for row in PlayedMatch.objects.select_related("user")}
    lost, kept = rows["ana"], rows["cy"]
    assert (lost.lost_seat, lost.rank, lost.timeouts, lost.answers) == (True, None, 1, 0)
    assert (kept.lost_seat, kept.timeouts) == (False, 0)
    assert kept.rank is not None


def test_a_private_clubs_match_counts_nowhere(players: list[User]) -> None:
    club = make_club("Den", *players)
    match = play_to_the_end(make_match(players=players))
    Match.objects.filter(pk=match.pk).update(club=club)
    counting.count_finished()
    counting.count_changed()
    assert not PlayedMatch.objects.exists()
    assert not GameTally.objects.exists()


def test_what_was_counted_stays_when_the_club_becomes_private_but_tells_nobody_who_met(
    players: list[User],
) -> None:
    club = make_club("Den", *players, is_private=False)
    match = play_to_the_end(make_match(players=players))
    Match.objects.filter(pk=match.pk).update(club=club)
    counting.count_finished()
    now = NOON + timedelta(hours=1)
    change_club(club.pk, players[0], name="Den", about="", is_private=True, is_asked_first=True, now=now)
    counting.count_changed()
    assert [line.played for line in PlayerStatistics(players[0]).games] == [1]
    assert PlayerStatistics(players[0]).opponents == []
    assert [met.met for _, met in PlayerStatistics(players[1]).against(players[0])] == [1]
    assert list(counting.find_differences()) == []


def test_practice_against_the_bots_of_the_server_is_nobodys_result_or_punctuality(
    players: list[User],
) -> None:
    ana, ben, _ = players
    practice = play_to_the_end(make_match(players=[ana], bots=2))
    counting.count_finished()
    statistics = PlayerStatistics(ana)
    assert (statistics.games, statistics.punctuality) == ([], None)
    assert CountedMatch.objects.filter(match=practice).exists()
    play_to_the_end(make_match(players=[ana, ben], bots=1))
    counting.count_finished()
    assert [line.played for line in PlayerStatistics(ana).games] == [1]
    assert list(counting.find_differences()) == []
    assert not counting.find_changed().exists()


def test_a_guests_match_counts_once_they_have_signed_up(players: list[User]) -> None:
    guest = players[0]
    User.objects.filter(pk=guest.pk).update(is_guest=True)
    match = play_to_the_end(make_match(players=[guest, players[1]], bots=1))
    Match.objects.filter(pk=match.pk).update(created_by=guest)
    counting.count_finished()
    assert not PlayedMatch.objects.exists()
    User.objects.filter(pk=guest.pk).update(is_guest=False)
    counting.count_changed()
    assert PlayedMatch.objects.filter(user=guest).exists()


def test_a_resigned_match_tells_nothing_of_lengths_and_places(players: list[User]) -> None:
    match = make_match(players=players[:2])
    play(match, *first_legal(match))
    resign(match.pk, players[0], source=Move.Source.WEB, request_id="r", now=NOON)
    counting.count_finished()
    assert PlayedMatch.objects.count() == 2
    assert not GameTally.objects.exists()


@pytest.mark.slow
def test_the_statistics_can_be_verified_and_rebuilt(players: list[User]) -> None:
    play_to_the_end(make_match(players=players))
    play_to_the_end(make_match("gemessengers", players))
    call_command("verify_statistics", "--rebuild")
    call_command("verify_statistics")
    row = PlayedMatch.objects.first()
    assert row is not None
    PlayedMatch.objects.filter(pk=row.pk).update(rank=7)
    with pytest.raises(CommandError, match="Differences: 1;"):
        call_command("verify_statistics")
    GameTally.objects.filter(kind="plies").update(count=9)
    PlayedMatch.objects.filter(pk=row.pk).delete()
    call_command("verify_statistics", "--rebuild")


def test_an_erased_account_leaves_the_others_results(players: list[User]) -> None:
    play_to_the_end(make_match(players=players))
    counting.count_finished()
    players[2].delete()
    assert PlayedMatch.objects.count() == 2
    call_command("verify_statistics")
