"""Organisers may do some things and not others, and the event is told of what they did."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.db.utils import OperationalError

from gemserver.accounts.models import Block, User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club, Member
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.close_event import close_event
from gemserver.events.actions.correct_points import correct_points
from gemserver.events.actions.enter import enter
from gemserver.events.actions.open_event import MOST_EVENTS
from gemserver.events.actions.replace_player import propose_replacement, take_back_replacement
from gemserver.events.actions.share_event import MOST_ORGANISERS, add_organiser, remove_organiser
from gemserver.events.actions.start_season import start_season
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Entry, Event, Fixture, Organiser, Replacement, Season
from gemserver.events.replacements import asked_of
from gemserver.events.selectors import run_by_nobody
from gemserver.events.standings import find_standings
from gemserver.events.words import say_rules
from gemserver.matches.actions.clubs.leave_club import remove_member
from gemserver.matches.actions.people.shut_account import shut_account
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.ratings import rating
from gemserver.ratings.models import RatedMatch, RatingChange
from tests.builders import NOON, make_user
from tests.clubs.people import make_club
from tests.events.leagues import START, code_of, fixtures_of, make_event, make_players, play_all, season_of
from tests.logs import read_log
from tests.mailgate.posting import one_line, sent_to

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
LATER = NOON + 2 * DAY


# --- Opening --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"slug": "Winter League"}, "bad-event-name"),
        ({"name": " "}, "bad-event-name"),
        ({"game": "chess"}, "no-such-game"),
        ({"seats": 5}, "wrong-seats"),
        ({"options": {"pace": "sealed"}}, "no-such-option"),
        ({"season_days": 28}, "bad-length"),
        ({"season_days": 43}, "bad-length"),
        ({"division_size": 3}, "bad-division"),
        ({"division_size": 22}, "bad-division"),
        ({"exchanged": 4}, "bad-division"),
        ({"format": Event.Format.TOURNAMENT, "exchanged": 1}, "bad-division"),
        ({"format": Event.Format.SWISS, "rounds": 3}, "bad-format"),
        ({"rounds": 3}, "bad-format"),
        ({"tie_breaks": ["firsts", "firsts"]}, "bad-tie-breaks"),
        ({"tie_breaks": ["buchholz"]}, "bad-tie-breaks"),
        ({"tie_breaks": ["beauty"]}, "bad-tie-breaks"),
        ({"starts_at": NOON}, "bad-dates"),
        ({"entry_days": 0}, "bad-dates"),
    ],
)
def test_an_impossible_event_is_refused_and_nothing_is_left_of_it(
    organiser: User, fields: dict[str, Any], code: str
) -> None:
    assert code_of(make_event, organiser, **fields) == code
    assert not Event.objects.exists()
    assert not Season.objects.exists()


def test_a_name_that_is_taken_is_refused(organiser: User) -> None:
    make_event(organiser)
    assert code_of(make_event, organiser) == "event-name-taken"
    assert Event.objects.count() == Season.objects.count() == Organiser.objects.count() == 1


def test_nobody_opens_events_without_end(organiser: User) -> None:
    for number in range(MOST_EVENTS):
        make_event(organiser, slug=f"league-{number}")
    assert code_of(make_event, organiser, slug="one-more") == "too-many-events"
    make_event(make_user("mo", role=Role.MODERATOR), slug="one-more")


def test_sealed_pace_is_played_where_a_game_has_it_and_lots_come_last(organiser: User) -> None:
    event = make_event(organiser, game="gem", season_days=56, tie_breaks=["lot", "score-share"])
    assert event.options == {"pace": "sealed"}
    assert event.tie_breaks == ["score-share", "lot"]
    in_turn = make_event(organiser, slug="turns", game="gem", season_days=56, options={"pace": "table"})
    assert in_turn.options == {"pace": "table"}


def test_only_organisers_of_a_club_open_its_events_and_only_members_enter(organiser: User) -> None:
    club = Club.objects.create(slug="chess", name="Club", is_private=True, created_at=NOON)
    member = make_user("mia")
    Member.objects.create(club=club, user=member, joined_at=NOON)
    assert code_of(make_event, member, club=club) == "not-club-organiser"
    Member.objects.create(club=club, user=organiser, role=Member.Role.ORGANISER, joined_at=NOON)
    event = make_event(organiser, club=club)
    assert code_of(enter, event.pk, make_user("stranger"), now=NOON) == "not-member"
    enter(event.pk, member, now=NOON)


# --- Organising together --------------------------------------------------------------------------


def test_an_organiser_lets_another_organise_who_is_told_and_may_start(organiser: User) -> None:
    helper, event = make_user("hana"), make_event(organiser, make_players(4))
    assert code_of(start_season, season_of(event).pk, by=helper, now=NOON) == "not-organiser"
    assert code_of(add_organiser, event.pk, helper, by=helper, now=NOON) == "not-organiser"
    for _ in range(2):
        add_organiser(event.pk, helper, by=organiser, now=NOON)
    assert event.organisers.count() == 2
    (letter,) = sent_to(helper)
    assert "olga lets you organise League too" in one_line(letter)
    assert "reason" not in str(letter.body)
    start_season(season_of(event).pk, by=helper, now=NOON)


def test_an_organiser_goes_but_not_the_last_one(organiser: User) -> None:
    helper, event = make_user("hana"), make_event(organiser)
    assert code_of(remove_organiser, event.pk, organiser, by=organiser, now=NOON) == "last-organiser"
    add_organiser(event.pk, helper, by=organiser, now=NOON)
    remove_organiser(event.pk, organiser, by=organiser, now=NOON)
    assert sent_to(organiser) == [], "who goes knows it"
    assert code_of(close_event, event.pk, by=organiser, reason="late", now=NOON) == "not-organiser"
    kinds = [row.kind for row in event.log.order_by("pk")]
    assert kinds == ["opened", "shared", "unshared"]
    assert code_of(remove_organiser, event.pk, helper, by=helper, now=NOON) == "last-organiser"


def test_who_is_shut_is_no_last_organiser_and_a_moderator_puts_another_in(organiser: User) -> None:
    helper, event = make_user("hana"), make_event(organiser)
    add_organiser(event.pk, helper, by=organiser, now=NOON)
    shut_account(organiser, "no", now=NOON)
    assert code_of(remove_organiser, event.pk, helper, by=helper, now=NOON) == "last-organiser"
    assert not run_by_nobody(organiser)
    shut_account(helper, "no", now=NOON)
    assert list(run_by_nobody(helper)) == [event]
    moderator = make_user("mod", role=Role.MODERATOR)
    add_organiser(event.pk, make_user("ida"), by=moderator, now=NOON)
    assert not run_by_nobody(helper)


def test_an_organiser_does_not_write_to_everybody_by_putting_them_in_and_out(organiser: User) -> None:
    event = make_event(organiser)
    for number in range(MOST_ORGANISERS):
        user = make_user(f"user{number}")
        add_organiser(event.pk, user, by=organiser, now=NOON)
        remove_organiser(event.pk, user, by=organiser, now=NOON)
    assert (
        code_of(add_organiser, event.pk, make_user("last"), by=organiser, now=NOON) == "too-many-organisers"
    )


def test_who_may_not_see_an_event_cannot_be_made_its_organiser(organiser: User) -> None:
    club = Club.objects.create(slug="chess", name="Club", is_private=True, created_at=NOON)
    Member.objects.create(club=club, user=organiser, role=Member.Role.ORGANISER, joined_at=NOON)
    event = make_event(organiser, club=club)
    assert code_of(add_organiser, event.pk, make_user("hana"), by=organiser, now=NOON) == "not-member"
    assert (
        code_of(add_organiser, event.pk, make_user("gus", is_guest=True), by=organiser, now=NOON) == "guest"
    )
    crowd = [make_user(f"member{number}") for number in range(MOST_ORGANISERS)]
    for user in crowd:
        Member.objects.create(club=club, user=user, joined_at=NOON)
    codes = [_try_add(event, user, organiser) for user in crowd]
    assert codes == [None] * (MOST_ORGANISERS - 1) + ["too-many-organisers"]


def _try_add(event: Event, user: User, by: User) -> str | None:
    try:
        add_organiser(event.pk, user, by=by, now=NOON)
    except Refused as refusal:
        return refusal.code
    return None


# --- Starting -------------------------------------------------------------------------------------


def test_only_organisers_and_moderators_start_a_season(organiser: User) -> None:
    players = make_players(4)
    season = season_of(make_event(organiser, players))
    assert code_of(start_season, season.pk, by=players[0], now=NOON) == "not-organiser"
    started = start_season(season.pk, by=make_user("mo", role=Role.MODERATOR), now=NOON)
    assert started.state == Season.State.RUNNING
    assert started.ends_at == START + timedelta(days=42)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_several_who_press_start_in_one_moment_start_it_once() -> None:
    organiser = make_user("olga")
    season = season_of(make_event(organiser, make_players(4)))
    failures: list[str] = []

    def press() -> None:
        try:
            start_season(season.pk, by=organiser, now=NOON + DAY)
        except OperationalError as error:
            # SQLite lets one write at a time and turns a second one away after a while: it has changed nothing.
            failures.append(str(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failures) < 3
    assert season.log.filter(kind="started").count() == 1
    assert season.divisions.count() == 1
    assert Fixture.objects.count() == 4
    assert Match.objects.count() <= 4


# --- Repairing ------------------------------------------------------------------------------------


def test_an_adjudicated_fixture_counts_by_its_ranks_and_the_event_reads_why(
    season: Season, organiser: User
) -> None:
    fixture = fixtures_of(season)[0]
    assert (
        code_of(adjudicate_fixture, fixture.pk, [1, 2, 2, 3], by=organiser, reason="no", now=LATER)
        == "bad-ranks"
    )
    assert (
        code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], by=organiser, reason=" ", now=LATER)
        == "no-reason"
    )
    for _ in range(2):
        adjudicate_fixture(fixture.pk, [2, 1, 3, 3], by=organiser, reason="Seats were mixed up.", now=LATER)
    assert Match.objects.get(pk=fixture.match_id).is_over
    standings = find_standings(season.divisions.get())
    points = {row.player: row.points for row in standings.rows}
    places = fixture.places.order_by("index")
    assert [points[place.entry_id] for place in places] == [6, 10, 2, 2]
    line = season.log.get(kind="adjudicated")
    assert (line.by, line.reason) == (organiser, "Seats were mixed up.")
    assert line.data == {"fixture": fixture.pk, "ranks": "2 1 3 3"}


def test_ranks_of_an_organiser_are_no_rating_and_the_log_does_not_say_moderator(
    season: Season, organiser: User
) -> None:
    played, broken_off = fixtures_of(season)[:2]
    match = Match.objects.get(pk=played.match_id)
    play_all(season, now=LATER, most=1)
    match.refresh_from_db()
    assert match.is_over
    for fixture in (played, broken_off):
        adjudicate_fixture(fixture.pk, [1, 2, 3, 4], by=organiser, reason="A quarrel.", now=LATER)
    rating.rate_all()
    codes = dict(RatedMatch.objects.values_list("match", "refusal"))
    assert codes == {played.match_id: "", broken_off.match_id: "adjudicated"}
    places = dict(RatingChange.objects.filter(match=match).values_list("seat", "place"))
    assert places == dict(match.seats.values_list("index", "rank")), "what was played stays rated"
    broken = Match.objects.get(pk=broken_off.match_id)
    log = " ".join(line for entry in read_log(broken, None) for line in entry.sentences)
    assert "Not rated: the match was broken off" in log
    assert "moderator" not in log
    assert (
        "except in a match that an organiser or the end of the season breaks off."
        in say_rules(season.event)[-1]
    )


def test_points_are_corrected_once_for_each_request_and_say_why(season: Season, organiser: User) -> None:
    entry = season.entries.all()[0]
    for _ in range(2):
        correct_points(entry.pk, Decimal("-2.5"), by=organiser, reason="Late.", request_key="r1", now=LATER)
    rows = {row.player: row.points for row in find_standings(season.divisions.get()).rows}
    assert rows[entry.pk] == Fraction(-5, 2)
    assert season.log.filter(kind="corrected").count() == 1
    for points in ("0", "101", "0.001", "NaN"):
        asked = {"by": organiser, "reason": "x", "request_key": points, "now": LATER}
        assert code_of(correct_points, entry.pk, Decimal(points), **asked) == "bad-points"


def test_a_replaced_player_hands_points_and_seats_on(season: Season, organiser: User) -> None:
    entry: Entry = season.entries.all()[0]
    former = entry.player
    newcomer, other = make_user("new"), season.entries.all()[1].player
    assert other is not None
    by: dict[str, Any] = {"by": organiser, "reason": "Ana is ill.", "now": LATER}
    assert code_of(propose_replacement, entry.pk, other, **by) == "entered-already"
    assert code_of(propose_replacement, entry.pk, organiser, **by) == "decides-for-self"
    for _ in range(2):
        propose_replacement(entry.pk, newcomer, **by)
    assert not Seat.objects.filter(user=newcomer).exists(), "nobody is put in unasked"
    for _ in range(2):
        enter(season.event_id, newcomer, now=LATER)
    assert Seat.objects.filter(user=newcomer).count() == 4
    assert not Seat.objects.filter(user=former).exists()
    assert find_standings(season.divisions.get()).entries[entry.pk].player == newcomer
    assert season.log.filter(kind="replaced").count() == 1
    match = Seat.objects.filter(user=newcomer).select_related("match")[0].match
    told = " ".join(line for entry in read_log(match, None) for line in entry.sentences)
    assert "An organiser gives seat" in told
    # Who has played there decides nothing there afterwards either.
    assert former is not None
    Organiser.objects.create(event=season.event, user=former, since=NOON)
    fixture = fixtures_of(season)[0]
    by["by"] = former
    assert code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], **by) == "plays-here"


def _asked(season: Season, organiser: User, newcomer: User, now: datetime = LATER) -> Replacement:
    entry = season.entries.order_by("pk")[0]
    return propose_replacement(entry.pk, newcomer, by=organiser, reason="Ana is ill.", now=now)


def test_who_says_no_is_not_asked_again_and_the_organiser_is_told(season: Season, organiser: User) -> None:
    newcomer = make_user("new")
    _asked(season, organiser, newcomer)
    for _ in range(2):
        withdraw(season.event_id, newcomer, now=LATER)
    assert not Seat.objects.filter(user=newcomer).exists()
    assert "new does not take over from player00 in season 1 of League." in one_line(sent_to(organiser)[-1])
    assert code_of(enter, season.event_id, newcomer, now=LATER) == "entries-closed"
    with pytest.raises(Refused, match="has-refused"):
        _asked(season, organiser, newcomer)
    assert _asked(season, organiser, make_user("other"))


@pytest.mark.parametrize("how", ["days", "taken back", "former gone", "season over"])
def test_a_question_lapses(season: Season, organiser: User, how: str) -> None:
    newcomer, at = make_user("new"), LATER
    question = _asked(season, organiser, newcomer)
    if how == "days":
        at = LATER + 7 * DAY
    elif how == "taken back":
        take_back_replacement(question.pk, by=organiser, now=LATER)
    elif how == "former gone":
        Entry.objects.filter(pk=question.entry_id).update(player=make_user("somebody"))
    else:
        Season.objects.update(state=Season.State.OVER)
    with pytest.raises(Refused):
        enter(season.event_id, newcomer, now=at)
    assert not Seat.objects.filter(user=newcomer).exists()
    assert not asked_of(newcomer, at)
    if how == "days":
        assert _asked(season, organiser, make_user("other"), at), "somebody else may be asked then"


@pytest.mark.parametrize("is_erased", [False, True])
def test_a_newcomer_who_is_gone_keeps_nobody_from_being_asked(
    season: Season, organiser: User, is_erased: bool
) -> None:
    newcomer = make_user("new")
    question = Replacement.objects.get(pk=_asked(season, organiser, newcomer).pk)
    if is_erased:  # by the former version, which knows nothing of the question
        newcomer.delete()
        Replacement.objects.bulk_create([question])
    else:
        User.objects.filter(pk=newcomer.pk).update(is_active=False)
    assert _asked(season, organiser, make_user("other")).newcomer.username == "other"


def test_one_is_asked_at_a_time_and_nobody_too_often(season: Season, organiser: User) -> None:
    newcomer = make_user("new")
    question = _asked(season, organiser, newcomer)
    with pytest.raises(Refused, match="asked-already"):
        _asked(season, organiser, make_user("other"))
    stranger = make_user("stranger")
    assert code_of(take_back_replacement, question.pk, by=stranger, now=LATER) == "not-organiser"
    for _ in range(2):
        take_back_replacement(question.pk, by=organiser, now=LATER)
        question = _asked(season, organiser, newcomer)
    take_back_replacement(question.pk, by=organiser, now=LATER)
    with pytest.raises(Refused, match="asked-too-often"):
        _asked(season, organiser, newcomer)


def test_after_the_end_nothing_is_changed_any_more(season: Season, organiser: User) -> None:
    Season.objects.filter(pk=season.pk).update(state=Season.State.OVER)
    entry = season.entries.all()[0]
    by: dict[str, Any] = {"by": organiser, "reason": "Late.", "now": LATER}
    assert code_of(correct_points, entry.pk, Decimal(1), request_key="r", **by) == "season-not-running"
    fixture = fixtures_of(season)[0]
    assert code_of(adjudicate_fixture, fixture.pk, [1, 2, 3, 4], **by) == "season-not-running"


def test_a_closed_event_plays_its_season_and_no_other(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    assert code_of(close_event, event.pk, by=players[0], reason="x", now=NOON) == "not-organiser"
    for _ in range(2):
        close_event(event.pk, by=organiser, reason="Too few.", now=NOON + DAY)
    assert season_of(event).state == Season.State.CANCELLED
    assert code_of(enter, event.pk, players[0], now=NOON + DAY) == "event-rests"
    assert event.log.filter(kind="closed").count() == 1


def test_the_secret_of_a_season_is_in_no_text_of_its_rows(season: Season) -> None:
    rows = [season, season.event, *season.divisions.all(), *season.entries.all(), *season.log.all()]
    assert not [row for row in rows if season.secret in f"{row} {row!r}"]
    assert season.secret not in str([line.data for line in season.log.all()])


def test_nobody_is_put_in_by_who_they_have_blocked_nor_without_end() -> None:
    organiser, ana, ben = make_user("organiser"), make_user("ana"), make_user("ben")
    event = make_event(organiser, make_players(4))
    start_season(season_of(event).pk, by=organiser, now=NOON)
    entry = Entry.objects.filter(division__isnull=False).order_by("pk")[0]
    Block.objects.create(user=ana, blocked=organiser, created_at=NOON)
    with pytest.raises(Refused, match="blocked"):
        propose_replacement(entry.pk, ana, by=organiser, reason="illness", now=NOON)
    with pytest.raises(Refused, match="too-long-reason"):
        propose_replacement(entry.pk, ben, by=organiser, reason="x" * 501, now=NOON)
    for number in range(20):
        correct_points(entry.pk, Decimal(1), by=organiser, reason="a", request_key=f"{number}", now=NOON)
    with pytest.raises(Refused, match="too-many-decisions"):
        propose_replacement(entry.pk, ben, by=organiser, reason="illness", now=NOON)
    assert propose_replacement(entry.pk, ben, by=organiser, reason="illness", now=NOON + timedelta(days=1))


@pytest.mark.parametrize("name", ["Cup\u202e", "Your account: https://evil.example", "\u200b"])
def test_a_name_that_misleads_in_a_mail_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="bad-event-name"):
        make_event(make_user("organiser"), name=name)


def test_a_name_stands_on_one_line_and_five_events_a_day_are_enough() -> None:
    organiser = make_user("organiser")
    for number in range(5):
        event = make_event(organiser, slug=f"cup-{number}{'x' * number}", name="A  cup\n\nfor all")
        assert event.name == "A cup for all"
        Event.objects.filter(pk=event.pk).update(closed_at=NOON)
    with pytest.raises(Refused, match="within a day"):
        make_event(organiser, slug="one-more")


def test_who_has_left_a_private_club_does_not_play_its_season() -> None:
    organiser, players = make_user("organiser"), make_players(5)
    club = make_club("chess", organiser, *players)
    event = make_event(organiser, players, seats=2, season_days=28, club=club)
    remove_member(club.pk, organiser, players[0].username, now=NOON)
    start_season(season_of(event).pk, by=organiser, now=NOON)
    assert not players[0].seats.exists()
    assert players[1].seats.exists()


def test_in_a_clubs_event_only_members_are_asked(season: Season, organiser: User) -> None:
    club = make_club("Lake", organiser, is_private=False)
    Event.objects.update(club=club)
    with pytest.raises(Refused, match="not-member"):
        _asked(season, organiser, make_user("new"))
