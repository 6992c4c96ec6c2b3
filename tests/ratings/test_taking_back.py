"""Ratings follow when a result is voided, an account is erased, a club shuts its door, or a row is tampered with."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from games.results import recompute
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club
from gemserver.inbox.erasure import erase
from gemserver.matches.actions.clubs.open_club import change_club
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.models import Match, Move, Notice
from gemserver.matches.refusal import Refused
from gemserver.ratings import rating, verify
from gemserver.ratings.models import Contender, Pool, RatedMatch, Rating, RatingChange
from gemserver.ratings.selectors import leaderboard, ratings_in, ratings_of
from gemserver.ratings.void_result import void_result
from gemserver.site.account.export import collect
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.clubs.people import make_club
from tests.ratings.finished import HOUR, begin, changes_of, finish, forget_ratings, lose_by_time
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


def _figures() -> list[tuple[object, ...]]:
    rows = RatingChange.objects.order_by("finished_at", "match", "seat")
    return list(rows.values_list("match", "seat", "contender", "mu_before", "mu_after", "sigma_after"))


def _list(game: str = "florentine") -> str:
    response = Client().get(f"/ratings/{game}.csv")
    assert response.status_code == 200
    assert isinstance(response.streaming_content, Iterator)  # type: ignore[attr-defined]
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


# --- Voided results ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_voided_result_is_as_if_it_had_never_been_rated(players: list[User]) -> None:
    wrong, right = finish(players[:2], 1), finish(players, 2)
    rating.rate_all()
    void_result(wrong.pk, "two of one person", now=NOON)
    void_result(wrong.pk, "again", now=NOON)
    rating.rate_all()
    assert RatedMatch.objects.get(match=wrong).refusal == "voided"
    assert all(change.before.number == 1500 for change in changes_of(right).values())
    assert all(rated.matches == 1 for rated in Rating.objects.all())
    kinds = list(wrong.notices.order_by("pk").values_list("kind", flat=True))
    assert kinds[-2:] == ["unrated-voided", "result-voided"]
    assert verify.verify() == (2, None)


def test_a_voided_result_can_be_somebodys_only_one(players: list[User]) -> None:
    match = finish(players[:2])
    rating.rate_all()
    void_result(match.pk, "why", now=NOON)
    rating.rate_all()
    assert not Rating.objects.exists()


def test_what_was_never_rated_cannot_be_voided(players: list[User]) -> None:
    match = play_to_the_end(make_match("florentine", players))
    with pytest.raises(Refused) as refused:
        void_result(match.pk, "why", now=NOON)
    assert refused.value.code == "not-rated"


# --- Erased accounts --------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_erased_account_leaves_the_ratings_of_the_others_as_they_are(players: list[User]) -> None:
    for hours in (1, 2, 3):
        finish(players, hours)
    rating.rate_all()
    before, listed = _figures(), _list()
    erase(players[0], now=NOON)
    rating.rate_all()
    assert _figures() == before
    assert _list() == listed
    assert verify.verify() == (3, None)
    finish(players[1:], 4)
    void_result(RatedMatch.objects.order_by("finished_at")[0].match_id, "why", now=NOON)
    rating.rate_all()
    assert verify.verify() == (4, None)
    assert Contender.objects.filter(user=None).count() == 1


@pytest.mark.slow
def test_an_erased_account_that_had_left_its_seat_is_still_told_apart(players: list[User]) -> None:
    match = begin(players, absence=Match.Absence.REPLACE, moves=6)
    lose_by_time(match, 0, now=NOON)
    take_seat(match.pk, 0, make_user("dee"), now=NOON)
    play_to_the_end(match)
    rating.rate_all()
    line = match.notices.get(key="rating").data
    assert [change["is_former"] for change in line["ratings"]] == [True, False, False]
    for name in ("ana", "dee"):
        erase(User.objects.get(username=name), now=NOON)
    assert verify.verify() == (1, None)


def test_an_erased_account_that_had_come_back_to_its_seat_has_not_left_it(players: list[User]) -> None:
    match = begin(players, absence=Match.Absence.REPLACE, moves=6)
    lose_by_time(match, 0, now=NOON)
    take_seat(match.pk, 0, players[0], now=NOON)
    play_to_the_end(match)
    rating.rate_all()
    erase(players[0], now=NOON)
    assert verify.verify() == (1, None)


@pytest.mark.parametrize("kept", ["too-short", "aborted"])
def test_why_a_match_was_not_rated_stays_when_an_account_of_it_is_erased(
    ana: User, ben: User, kept: str
) -> None:
    match = begin([ana, ben], moves={"aborted": 1, "too-short": 3}[kept])
    resign(match.pk, ana, source=Move.Source.WEB, request_id="r", now=NOON)
    rating.rate_all()
    for gone in (ben, ana):
        erase(gone, now=NOON)
        rating.rate_all()
        assert RatedMatch.objects.get().refusal == kept
        assert verify.verify() == (1, None)


def test_leaderboards_have_neither_provisional_nor_erased_nor_shut_players(players: list[User]) -> None:
    finish(players)
    rating.rate_all()
    assert list(leaderboard("florentine")) == []
    Rating.objects.update(sigma=3.0)
    assert len(leaderboard("florentine")) == 3
    assert len(leaderboard("florentine", since=NOON + timedelta(days=1))) == 0
    assert len(leaderboard("florentine", bots=True)) == 0
    User.objects.filter(pk=players[1].pk).update(is_active=False)
    erase(players[0], now=NOON)
    assert [row.contender.user for row in leaderboard("florentine")] == [players[2]]


# --- Clubs ------------------------------------------------------------------------------------------


def _club(*, is_private: bool) -> Club:
    return Club.objects.create(slug="tuesday", name="Tuesday", is_private=is_private, created_at=NOON)


def _move_to(match: Match, club: Club) -> None:
    Match.objects.filter(pk=match.pk).update(club=club)


@pytest.mark.slow
def test_matches_of_a_private_club_count_there_alone(players: list[User]) -> None:
    club = _club(is_private=True)
    theirs, public = finish(players[:2], 1), finish(players[:2], 2)
    _move_to(theirs, club)
    rating.rate_all()
    assert all(change.before.number == 1500 for change in changes_of(public).values())
    assert ratings_in("florentine", [players[0].pk], club)[players[0].pk].matches == 1
    assert theirs.code not in _list()
    assert public.code in _list()
    assert verify.verify() == (2, None)


def test_matches_of_a_listed_club_are_public(players: list[User]) -> None:
    match = finish(players[:2])
    _move_to(match, _club(is_private=False))
    rating.rate_all()
    assert match.code in _list()


@pytest.mark.slow
def test_what_began_while_the_club_was_listed_stays_in_the_common_ratings(ana: User, ben: User) -> None:
    """An owner who shuts the club after a loss washes nothing away; a match that runs then counts as it was begun."""
    club = make_club("Tuesday", ana, ben, is_private=False)
    over, running = finish([ana, ben], 1), finish([ana, ben], 3)
    for match in (over, running):
        _move_to(match, club)
    Match.objects.filter(pk=running.pk).update(is_rated=False)  # for now it runs: nothing has looked at it
    rating.rate_all()
    before = ratings_of(ana)["florentine"].belief
    _shut(club, ana, now=NOON + 2 * HOUR)
    rating.rate_all()
    assert ratings_of(ana)["florentine"].belief == before
    Match.objects.filter(pk=running.pk).update(is_rated=True)
    later = finish([ana, ben], 5)
    Match.objects.filter(pk=later.pk).update(club=club, started_at=NOON + 4 * HOUR)
    rating.rate_all()
    assert set(RatedMatch.objects.filter(pool__club=None).values_list("match", flat=True)) == {
        over.pk,
        running.pk,
    }
    assert ratings_in("florentine", [ana.pk], club)[ana.pk].matches == 1
    assert verify.verify() == (3, None)


@pytest.mark.slow
def test_the_list_of_results_adds_up_without_naming_a_match_that_is_hidden_now(ana: User, ben: User) -> None:
    club = make_club("Tuesday", ana, ben, is_private=False)
    hidden, shown = finish([ana, ben], 1), finish([ana, ben], 2)
    _move_to(hidden, club)
    _shut(club, ana, now=NOON + 3 * HOUR)
    rating.rate_all()
    text = _list()
    assert shown.code in text
    assert not any(word in text for word in (hidden.code, club.slug, club.name))
    assert (recompute(text.splitlines()).matches, recompute(text.splitlines()).difference) == (2, None)
    page = Client().get("/players/ana/").content.decode()
    assert not any(word in page for word in (hidden.code, club.name, f"/clubs/{club.slug}"))


def _shut(club: Club, owner: User, *, now: datetime) -> None:
    change_club(club.pk, owner, name=club.name, about="", is_private=True, is_asked_first=True, now=now)


# --- The public list --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_stranger_computes_the_same_ratings_from_the_public_list(players: list[User]) -> None:
    for hours in range(1, 6):
        finish(players if hours % 2 else players[1:], hours)
    rating.rate_all()
    found = recompute(_list().splitlines())
    assert found.difference is None
    assert found.matches == 5
    stored = {row.contender.pseudonym: row.belief for row in Rating.objects.select_related("contender")}
    assert {standing.player: standing.belief for standing in found.standings} == stored


def test_the_public_list_names_nobody(players: list[User]) -> None:
    match = finish(players)
    rating.rate_all()
    text = _list()
    assert not any(player.username in text for player in players)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["match"] for row in rows] == [match.code] * 3
    assert len({row["player"] for row in rows}) == 3


@pytest.mark.slow
def test_while_ratings_are_computed_again_the_list_says_so(players: list[User]) -> None:
    finish(players)
    rating.rate_all()
    Pool.objects.update(stale_from=NOON)
    response = Client().get("/ratings/florentine.csv")
    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert Client().get("/ratings/chess.csv").status_code == 404


# --- Tampering --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_tampered_row_is_named(players: list[User]) -> None:
    first, second = finish(players[:2], 1), finish(players, 2)
    rating.rate_all()
    call_command("verify_ratings")
    row = changes_of(second)["ben"]
    RatingChange.objects.filter(pk=row.pk).update(mu_after=row.mu_after + 1e-9)
    with pytest.raises(CommandError, match=rf"{second.code} B: before and after"):
        call_command("verify_ratings")
    RatingChange.objects.filter(pk=row.pk).update(mu_after=row.mu_after, place=9)
    with pytest.raises(CommandError, match=rf"{second.code} B: who counts"):
        call_command("verify_ratings")
    RatingChange.objects.filter(pk=row.pk).update(place=row.place)
    RatedMatch.objects.filter(match=first).update(refusal="bot")
    with pytest.raises(CommandError, match=rf"{first.code}: the verdict"):
        call_command("verify_ratings")
    RatedMatch.objects.filter(match=first).update(refusal="")
    Rating.objects.filter(contender__user=players[2]).update(mu=40)
    with pytest.raises(CommandError, match="the rating now"):
        call_command("verify_ratings")


@pytest.mark.slow
def test_a_tampered_line_of_the_log_and_a_missing_match_are_named(players: list[User]) -> None:
    match = finish(players)
    rating.rate_all()
    Notice.objects.filter(match=match, key="rating").update(kind="unrated-bot", data={})
    assert "the line in the log" in str(verify.verify()[1])
    forget_ratings()
    assert verify.verify()[1] == verify.Difference(
        match.code, "", "the match was not looked at", None, "rated or refused"
    )


# --- Two workers ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_rate_everything_once() -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    for hours in range(4):
        finish(players[:2], hours)
    start = threading.Barrier(3)

    def work() -> None:
        start.wait()
        try:
            rating.rate_all()
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    rating.rate_all()  # SQLite may have turned one away; the next sweep does the rest
    assert RatedMatch.objects.count() == 4
    assert verify.verify() == (4, None)


# --- The moderators' lists --------------------------------------------------------------------------


@pytest.mark.slow
def test_moderators_see_public_changes_and_none_of_a_private_club(players: list[User]) -> None:
    club = _club(is_private=True)
    theirs, public = finish(players[:2], 1), finish(players[:2], 2)
    _move_to(theirs, club)
    rating.rate_all()
    panel = signed_in(make_user("mod", role=Role.MODERATOR))
    for address in ("ratedmatch", "ratingchange"):
        text = read(panel.get(f"/admin/ratings/{address}/")).text
        assert public.code in text
        assert theirs.code not in text
        assert read(panel.get(f"/admin/ratings/{address}/?pool__game=florentine")).text


@pytest.mark.slow
def test_the_export_tells_all_of_ones_ratings(players: list[User]) -> None:
    match = finish(players)
    rating.rate_all()
    told = collect(players[0], NOON)
    assert [row["pool__game"] for row in told["ratings"]] == ["florentine"]
    assert [row["match__code"] for row in told["changes of ratings"]] == [match.code]
    assert told["pseudonym in the public lists of results"] == [
        Contender.objects.get(user=players[0]).pseudonym
    ]
