"""For whom a seat counts, and when a match does not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import translation

from games.ratings import NEWCOMER
from gemserver.accounts.models import User
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import reassign_seat, take_seat
from gemserver.matches.models import Departure, Match, Move, Seat
from gemserver.ratings import rating, verify
from gemserver.ratings.models import RatedMatch, RatingChange
from gemserver.ratings.selectors import ratings_of
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.logs import read_log
from tests.ratings.finished import begin, changes_of, finish, lose_by_time

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
Why = RatingChange.Why


def _refusal(match: Match) -> str:
    rating.rate_all()
    rated = RatedMatch.objects.get(match=match)
    assert bool(rated.refusal) != RatingChange.objects.filter(match=match).exists()
    return rated.refusal


def _log(match: Match) -> str:
    with translation.override("en"):
        entries = read_log(Match.objects.get(pk=match.pk), None)
        return " ".join(line for entry in entries for line in entry.sentences)


# --- Absence ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_who_loses_the_seat_by_time_is_last_and_the_substitute_is_not_rated(players: list[User]) -> None:
    match = begin(players, absence=Match.Absence.REPLACE, moves=6)
    lose_by_time(match, 0, now=NOON + DAY)
    substitute = make_user("dee")
    take_seat(match.pk, 0, substitute, now=NOON + DAY)
    play_to_the_end(match, now=NOON + 2 * DAY)
    rating.rate_all()
    changes = changes_of(match)
    assert set(changes) == {"ana", "ben", "cy"}
    assert (changes["ana"].place, changes["ana"].why) == (3, Why.TIME)
    assert {changes["ben"].place, changes["cy"].place} <= {1, 2}
    assert not ratings_of(substitute)
    assert "the former player of seat A 1500 → " in _log(match)
    assert verify.verify() == (1, None)


@pytest.mark.slow
def test_who_comes_back_to_the_seat_counts_by_the_result(players: list[User]) -> None:
    match = begin(players[:2], absence=Match.Absence.REPLACE)
    lose_by_time(match, 0, now=NOON + DAY)
    take_seat(match.pk, 0, players[0], now=NOON + DAY)
    match = play_to_the_end(match, now=NOON + 2 * DAY)
    rating.rate_all()
    assert [change.place for change in changes_of(match).values()] == [
        seat.rank for seat in match.seats.order_by("index")
    ]
    assert changes_of(match)["ana"].why == Why.PLAYED


@pytest.mark.slow
def test_ten_matches_lost_in_one_absence_cost_once(players: list[User]) -> None:
    absent, *others = players
    matches = [begin([absent, others[number % 2]], absence=Match.Absence.REPLACE) for number in range(4)]
    for number, match in enumerate(matches[:3], start=1):
        lose_by_time(match, 0, now=NOON + number * DAY)
    for match in matches[:3]:
        play_to_the_end(match, now=NOON + 4 * DAY)
    rating.rate_all()
    first, *later = [changes_of(match) for match in matches[:3]]
    assert first["ana"].after.mu < NEWCOMER.mu
    assert [row["ana"].is_spared for row in later] == [True, True]
    assert ratings_of(absent)["florentine"].belief == first["ana"].after
    assert all(
        change.after.mu > change.before.mu for row in later for name, change in row.items() if name != "ana"
    )
    assert "ana stays" not in _log(matches[1])  # a bot holds the seat, so its player is not named
    assert "as one absence costs only once" in _log(matches[1])
    assert verify.verify() == (3, None)


@pytest.mark.slow
def test_whoever_plays_elsewhere_meanwhile_is_not_absent(players: list[User]) -> None:
    absent, *others = players
    matches = [begin([absent, others[number % 2]], absence=Match.Absence.REPLACE) for number in range(2)]
    lose_by_time(matches[0], 0, now=NOON + DAY)
    begin([absent, others[0]], "gem", now=NOON + 2 * DAY)
    lose_by_time(matches[1], 0, now=NOON + 3 * DAY)
    for match in matches:
        play_to_the_end(match, now=NOON + 4 * DAY)
    rating.rate_all()
    assert [changes_of(match)["ana"].is_spared for match in matches] == [False, False]


@pytest.mark.slow
def test_who_is_absent_at_the_end_keeps_the_place_but_the_absence_is_known(players: list[User]) -> None:
    match = finish(players[:2])
    last = match.moves.filter(seat=0).order_by("-ply")[:2]
    Move.objects.filter(pk__in=[move.pk for move in last]).update(source=Move.Source.CLOCK, actor=None)
    rating.rate_all()
    change = changes_of(match)["ana"]
    assert change.why == Why.ABSENT
    assert change.absent_since == NOON
    assert change.place == match.seats.get(index=0).rank


# --- Leaving, and being replaced --------------------------------------------------------------------


@pytest.mark.slow
def test_who_resigns_among_three_is_last(players: list[User]) -> None:
    match = begin(players, moves=6)
    resign(match.pk, players[1], source=Move.Source.WEB, request_id="r", now=NOON)
    play_to_the_end(match)
    rating.rate_all()
    assert (changes_of(match)["ben"].place, changes_of(match)["ben"].why) == (3, Why.RESIGNED)


@pytest.mark.slow
def test_several_who_leave_share_the_last_place(players: list[User]) -> None:
    match = begin(players, moves=6)
    for player in players[:2]:
        resign(match.pk, player, source=Move.Source.WEB, request_id="r", now=NOON)
    play_to_the_end(match)
    rating.rate_all()
    assert [change.place for change in changes_of(match).values()] == [2, 2, 1]


@pytest.mark.slow
def test_a_seat_that_a_moderator_gives_away_counts_for_nobody(players: list[User]) -> None:
    match = begin(players, moves=6)
    reassign_seat(match.pk, 2, make_user("dee"), "asked for it", now=NOON)
    play_to_the_end(match)
    rating.rate_all()
    assert set(changes_of(match)) == {"ana", "ben"}
    assert {change.place for change in changes_of(match).values()} <= {1, 2}


def test_a_departure_is_kept_for_people_alone(players: list[User]) -> None:
    match = begin(players, moves=6)
    reassign_seat(match.pk, 2, None, "away", now=NOON)
    reassign_seat(match.pk, 2, make_user("dee"), "here", now=NOON)
    (kept,) = Departure.objects.filter(seat__match=match)
    assert (kept.user, kept.why) == (players[2], Departure.Why.MODERATOR)


# --- Refusals ---------------------------------------------------------------------------------------


def test_too_short_a_match_of_two_is_not_rated(players: list[User]) -> None:
    match = begin(players[:2], moves=3)
    resign(match.pk, players[0], source=Move.Source.WEB, request_id="r", now=NOON)
    assert _refusal(match) == "too-short"
    assert "Not rated: somebody resigned before everybody had moved twice." in _log(match)


def test_a_match_of_two_that_was_resigned_later_is_rated(players: list[User]) -> None:
    match = begin(players[:2], moves=6)
    resign(match.pk, players[0], source=Move.Source.WEB, request_id="r", now=NOON)
    assert _refusal(match) == ""
    assert changes_of(match)["ana"].why == Why.RESIGNED


@pytest.mark.slow
def test_a_match_that_nobody_but_one_has_played_is_not_rated(players: list[User]) -> None:
    match = finish(players[:2])
    match.moves.filter(seat=0).update(source=Move.Source.CLOCK)
    assert _refusal(match) == "aborted"


def test_a_match_that_a_moderator_ended_is_not_rated(players: list[User]) -> None:
    match = begin(players[:2])
    adjudicate(match.pk, [0], "stalled", now=NOON)
    assert _refusal(match) == "adjudicated"


@pytest.mark.slow
def test_a_match_of_two_with_a_seat_given_away_is_not_rated(players: list[User]) -> None:
    match = begin(players[:2])
    reassign_seat(match.pk, 0, make_user("dee"), "asked for it", now=NOON)
    play_to_the_end(match)
    assert _refusal(match) == "handed-over"


def test_a_match_with_a_bot_is_not_rated(players: list[User]) -> None:
    match = make_match("florentine", players[:1], bots=1, is_rated=True)
    assert not Match.objects.get(pk=match.pk).is_rated, "the bot that sits down ends it"
    Match.objects.filter(pk=match.pk).update(is_rated=True)
    play_to_the_end(match)
    assert _refusal(match) == "bot"


@pytest.mark.slow
def test_bots_are_rated_among_bots(ana: User, ben: User) -> None:
    bots = [open_bot(ana, "Tin", now=NOON), open_bot(ben, "Zinc", now=NOON)]
    match = finish(bots)
    assert _refusal(match) == ""
    assert set(ratings_of(bots[0])) == {"florentine"}


@pytest.mark.slow
def test_two_hands_of_one_person_are_not_rated(ana: User) -> None:
    bots = [open_bot(ana, "Tin", now=NOON), open_bot(ana, "Zinc", now=NOON)]
    assert _refusal(finish(bots)) == "one-hand"


@pytest.mark.slow
def test_unequal_seats_are_not_rated(players: list[User]) -> None:
    usual = make_match("florentine", players[:2])
    first, second = usual.options.removeprefix("colours=")
    match = finish(players[:2], options={"colours": second + first})
    assert _refusal(match) == "unequal"


@pytest.mark.slow
def test_who_erases_the_account_before_is_left_out(players: list[User]) -> None:
    three, two = finish(players), finish(players[:2], 1)
    with transaction.atomic():
        Seat.objects.filter(user=players[0]).update(user=None)
        players[0].delete()
    assert _refusal(two) == "removed"
    assert set(changes_of(three)) == {"ben", "cy"}
