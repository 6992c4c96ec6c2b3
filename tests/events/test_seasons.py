"""Seasons from entries to final tables, with matches that are really played."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from hashlib import sha256

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from games import deal
from gemserver.accounts.bans import ban_user
from gemserver.accounts.models import User
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.enter import enter
from gemserver.events.actions.open_match import open_match
from gemserver.events.actions.start_season import MOST_UNPLAYED, start_season
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.arithmetic.points import table_points
from gemserver.events.arithmetic.schedules import measure_balance
from gemserver.events.models import Division, Entry, Event, Fixture, Place, Season
from gemserver.events.standings import find_standings
from gemserver.events.verify import find_faults
from gemserver.events.words import name_of
from gemserver.inbox.erasure import erase
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from tests.builders import NOON, make_user
from tests.events.leagues import (
    START,
    fixtures_of,
    hold,
    make_event,
    make_players,
    order_by_lot,
    play_all,
    season_of,
)
from tests.mailgate.posting import one_line, sent_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

DAY = timedelta(days=1)


def test_a_season_starts_on_its_date_with_an_exact_schedule_in_the_order_of_seats(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(7)
    event = make_event(organiser, players)
    hold(monkeypatch, START - timedelta(minutes=1))
    assert season_of(event).state == Season.State.ENTERING
    hold(monkeypatch, START)
    season = season_of(event)
    assert season.state == Season.State.RUNNING
    fixtures = fixtures_of(season)
    assert len(fixtures) == 7
    seated = []
    for fixture in fixtures:
        match = fixture.match
        assert match is not None
        assert match.is_running
        assert match.bank == match.cap
        assert match.increment == timedelta(0)
        assert match.bank * 4 <= season.ends_at - START
        assert match.play_until == season.ends_at - DAY
        holders = [seat.user for seat in match.seats.order_by("index")]
        entered = [place.entry.player for place in fixture.places.order_by("index")]
        assert holders == entered
        seated.append(tuple(players.index(holder) for holder in holders if holder))
    assert measure_balance(7, 4, seated).is_exact


def test_deals_are_promised_before_anybody_enters_and_take_what_players_gave(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    enter(event.pk, players[1], words="four words of mine", now=NOON + timedelta(hours=1))
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    parts = set()
    for fixture in fixtures_of(season):
        match = fixture.match
        assert match is not None
        name = f"1.1|{fixture.round}.{fixture.number}"
        assert match.server_part == sha256(f"{season.secret}|{name}".encode()).hexdigest()
        assert match.promised_at == season.opens_at
        parts.add(match.server_part)
        given = {seat.user: seat.part for seat in match.seats.all() if seat.part_at}
        assert given == {players[1]: deal.given_part("four words of mine")}
    assert len(parts) == 4


def test_lots_follow_from_what_is_known_only_once_entries_are_closed(organiser: User) -> None:
    event = make_event(organiser, make_players(7), format=Event.Format.TOURNAMENT)
    season = season_of(event)
    assert season.lots == ""
    season = start_season(season.pk, by=organiser, now=NOON + DAY)
    drawn = list(season.entries.order_by("division__number", "number"))
    assert drawn == order_by_lot(season, season.lots)
    listed = ",".join(str(number) for number in sorted(entry.pk for entry in drawn))
    assert season.lots == sha256(f"{season.secret}|lots|{listed}".encode()).hexdigest()
    page = Client().get(f"/events/{event.slug}/").content.decode()
    assert season.lots in page
    assert all(f"{name_of(entry)} {entry.pk}" in page for entry in drawn)


def over(season: Season, **fields: object) -> Season:
    Season.objects.filter(pk=season.pk).update(state=Season.State.OVER, **fields)
    return Season.objects.get(pk=season.pk)


@pytest.mark.parametrize("format", [Event.Format.LEAGUE, Event.Format.TOURNAMENT])
def test_lots_of_now_and_of_seasons_from_before_are_drawn_again(
    organiser: User, format: Event.Format
) -> None:
    event = make_event(organiser, make_players(11), format=format, division_size=5)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert not [fault for fault in find_faults(over(season)) if "lots" in fault]
    assert any("lots do not follow" in fault for fault in find_faults(over(season, lots="0" * 64)))
    season = over(season, lots=season.commitment)
    assert any("as their lots say" in fault for fault in find_faults(season))
    Entry.objects.update(number=None)
    by_lot = order_by_lot(season, season.commitment)
    if format == Event.Format.LEAGUE:
        by_lot.sort(key=lambda entry: entry.division_id or 0)
    divisions = sorted(entry.division_id or 0 for entry in by_lot)
    for number, (entry, division) in enumerate(zip(by_lot, divisions, strict=True)):
        Entry.objects.filter(pk=entry.pk).update(division=division, number=number)
    assert not [fault for fault in find_faults(season) if "lots" in fault]
    by_former_version = over(season, lots="")  # on tables that this one had migrated
    assert not [fault for fault in find_faults(by_former_version) if "lots" in fault]


def test_two_organisers_at_once_start_a_season_once(organiser: User) -> None:
    event = make_event(organiser, make_players(4))
    season = season_of(event)
    for _ in range(2):
        start_season(season.pk, by=organiser, now=NOON + DAY)
    start_season(season.pk, by=None, now=START)
    assert Division.objects.count() == 1
    assert Match.objects.count() == Fixture.objects.count() == 4
    assert season.log.filter(kind="started").count() == 1
    for fixture in fixtures_of(season):
        before = fixture.match_id
        again = open_match(fixture.pk, now=NOON + DAY)
        assert again is not None
        assert again.pk == before


def test_the_database_refuses_a_second_season_entry_division_or_place(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    season = season_of(event)
    start_season(season.pk, by=organiser, now=NOON + DAY)
    division = season.divisions.get()
    fixture = fixtures_of(season)[0]
    entry = season.entries.first()
    doubles = [
        lambda: Season.objects.create(
            event=event, number=2, opens_at=NOON, starts_at=START, ends_at=START + DAY
        ),
        lambda: Entry.objects.create(season=season, player=players[0], entered_at=NOON),
        lambda: Division.objects.create(season=season, level=1, number=1),
        lambda: Fixture.objects.create(division=division, number=1),
        lambda: Place.objects.create(fixture=fixture, index=0, entry=entry),
    ]
    for make in doubles:
        with pytest.raises(IntegrityError), transaction.atomic():
            make()


def test_a_match_that_was_not_opened_is_opened_by_the_sweep(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(organiser, make_players(4))
    monkeypatch.setattr("gemserver.events.actions.start_season.open_match", lambda pk, now: None)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert not Match.objects.exists()
    hold(monkeypatch, NOON + 2 * DAY)
    assert Match.objects.filter(status="running").count() == 4


def test_a_large_season_is_opened_in_parts(organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.events.actions.start_season.OPENED_AT_ONCE", 3)
    event = make_event(organiser, make_players(7))
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert Match.objects.count() == 3
    for _ in range(2):
        hold(monkeypatch, NOON + DAY)
        assert Match.objects.count() == 7


def test_entering_twice_is_one_entry_and_after_the_start_it_is_refused(organiser: User) -> None:
    players = make_players(5)
    event = make_event(organiser, players[:4])
    assert enter(event.pk, players[0], now=NOON) == enter(event.pk, players[0], now=NOON)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    with pytest.raises(Refused) as refusal:
        enter(event.pk, players[4], now=NOON + DAY)
    assert refusal.value.code == "entries-closed"
    # Who is in it is not told off for asking again.
    assert enter(event.pk, players[0], now=NOON + DAY).player == players[0]
    assert season_of(event).entries.count() == 4


def test_guests_and_bots_cannot_enter(organiser: User) -> None:
    event = make_event(organiser)
    guest = make_user("gus", is_guest=True)
    bot = make_user("robo", owner=organiser)
    for user, code in ((guest, "guest"), (bot, "no-bots")):
        with pytest.raises(Refused) as refusal:
            enter(event.pk, user, now=NOON)
        assert refusal.value.code == code


def test_who_withdraws_before_the_start_does_not_play_and_may_come_back(organiser: User) -> None:
    players = make_players(6)
    event = make_event(organiser, players)
    for player in players[4:]:
        withdraw(event.pk, player, now=NOON)
    enter(event.pk, players[5], now=NOON + DAY)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert season_of(event).divisions.get().entries.count() == 5
    assert not Seat.objects.filter(user=players[4]).exists()


def test_with_too_few_players_nothing_is_half_done(organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    players = make_players(3)
    event = make_event(organiser, players)
    with pytest.raises(Refused) as refusal:
        start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert refusal.value.code == "too-few-players"
    hold(monkeypatch, START)
    assert season_of(event).state == Season.State.CANCELLED
    assert not Division.objects.exists()
    following = season_of(event, 2)
    assert following.state == Season.State.ENTERING
    assert {entry.player for entry in following.entries.all()} == set(players)


def test_a_league_that_too_few_want_to_play_is_closed_after_three_seasons(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(2)
    event = make_event(organiser, players)
    for number in range(MOST_UNPLAYED):
        assert event.closed_at is None
        hold(monkeypatch, season_of(event, 1 + number).starts_at)
        event.refresh_from_db()
    assert event.closed_at is not None
    assert event.seasons.count() == MOST_UNPLAYED
    assert event.log.filter(kind="rested").count() == 1
    (*_, last) = sent_to(players[0])
    assert "It needs 4 players; entered: 2." in one_line(last)
    assert "begins" not in one_line(last)


def test_a_season_whose_time_is_over_before_the_server_is_back_is_not_played(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(organiser, make_players(4))
    ends = season_of(event).ends_at
    hold(monkeypatch, ends - timedelta(hours=1))
    assert season_of(event).state == Season.State.CANCELLED
    assert season_of(event).log.get(kind="missed").at == ends - timedelta(hours=1)
    assert not Match.objects.exists()
    assert season_of(event, 2).entries.count() == 4


def test_a_season_that_starts_late_still_ends_on_its_date(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(organiser, make_players(4))
    ends = season_of(event).ends_at
    hold(monkeypatch, START + 20 * DAY)
    assert {match.play_until for match in Match.objects.all()} == {ends - DAY}
    assert {match.bank for match in Match.objects.all()} == {21 * DAY / 4}
    hold(monkeypatch, ends)
    assert season_of(event).state == Season.State.OVER


@pytest.mark.slow
def test_a_season_played_to_the_end_has_a_table_that_anybody_can_add_up(
    organiser: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    event = make_event(organiser, make_players(7))
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    division = season.divisions.get()
    play_all(season, now=NOON + 2 * DAY)
    points: dict[int, Fraction] = {}
    for fixture in fixtures_of(season):
        assert fixture.match is not None
        seats = list(fixture.match.seats.order_by("index"))
        ranks = [seat.rank for seat in seats if seat.rank]
        for place, gained in zip(fixture.places.order_by("index"), table_points(ranks), strict=True):
            points[place.entry_id] = points.get(place.entry_id, Fraction(0)) + gained
    hold(monkeypatch, season.ends_at)
    season = season_of(event)
    assert season.state == Season.State.OVER
    assert season.commitment == sha256(season.secret.encode()).hexdigest()
    standings = find_standings(division)
    assert {row.player: row.points for row in standings.rows} == {
        **dict.fromkeys(standings.entries, Fraction(0)),
        **points,
    }
    division = season.divisions.get()
    rows = find_standings(division).rows
    assert [row.place for row in rows] == list(range(1, 8))
    assert [Entry.objects.get(pk=row.player).final_place for row in rows] == list(range(1, 8))
    assert season_of(event, 2).starts_at == season.ends_at + timedelta(days=event.entry_days)
    assert list(find_faults(season)) == []
    call_command("verify_events")
    assert "1 season: everything follows from its records." in capsys.readouterr().out
    first = rows[0].player
    Entry.objects.filter(pk=first).update(final_place=7)
    (fault,) = find_faults(season)
    assert f"entry {first} has place 7, the table 1" in fault
    with pytest.raises(CommandError, match="1 of 1 seasons"):
        call_command("verify_events", "league")
    Entry.objects.filter(pk=first).update(final_place=1)
    match = fixtures_of(season)[0].match
    assert match is not None
    Seat.objects.filter(match=match).update(rank=1)
    assert f"{match.code}: its ranks are not those of its last position" in list(find_faults(season))
    Season.objects.filter(pk=season.pk).update(secret="0" * 64)
    assert any("not the one that was promised" in fault for fault in find_faults(season_of(event)))


def test_a_season_ends_on_its_date_although_matches_run(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(organiser, make_players(4))
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    with pytest.raises(Refused) as refusal:
        close_season(season.pk, by=organiser, now=NOON + 2 * DAY)
    assert refusal.value.code == "still-playing"
    hold(monkeypatch, season.ends_at)
    assert season_of(event).state == Season.State.OVER
    assert set(Match.objects.values_list("status", "ending")) == {("finished", "adjudicated")}
    notice = Match.objects.first().notices.get(kind="season-over")  # type: ignore[union-attr]
    assert notice.created_at == season.ends_at


@pytest.mark.slow
def test_promotion_and_relegation_add_up_over_seasons(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(8)
    event = make_event(organiser, players, division_size=4, exchanged=1)
    hold(monkeypatch, START)
    first = season_of(event)
    assert [division.entries.count() for division in first.divisions.order_by("level")] == [4, 4]
    hold(monkeypatch, first.ends_at)
    up = first.entries.get(outcome=Entry.Outcome.PROMOTED)
    down = first.entries.get(outcome=Entry.Outcome.RELEGATED)
    assert (up.division.level, up.final_place) == (2, 1)  # type: ignore[union-attr]
    assert (down.division.level, down.final_place) == (1, 4)  # type: ignore[union-attr]
    second = season_of(event, 2)
    for player in players:
        enter(event.pk, player, now=first.ends_at)
    hold(monkeypatch, second.starts_at)
    top = {entry.player for entry in second.entries.filter(division__level=1)}
    stayed = {entry.player for entry in first.entries.filter(division__level=1).exclude(pk=down.pk)}
    assert top == stayed | {up.player}


@pytest.mark.slow
def test_who_withdraws_is_played_on_by_a_bot_and_listed_last(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    for _ in range(2):
        withdraw(event.pk, players[2], now=NOON + 3 * DAY)
    assert not Seat.objects.filter(user=players[2]).exists()
    assert Seat.objects.exclude(bot="").count() == 4
    play_all(season, now=NOON + 4 * DAY)
    standings = find_standings(season.divisions.get())
    last = standings.rows[-1]
    assert standings.entries[last.player].player == players[2]
    assert last.is_listed_last
    assert sum(row.points for row in standings.rows) == 4 * 20
    hold(monkeypatch, season.ends_at)
    assert season_of(event).entries.get(player=players[2]).final_place == 4


def test_an_account_that_is_erased_leaves_a_whole_division_behind(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    erase(players[1], now=NOON + 2 * DAY)
    standings = find_standings(season.divisions.get())
    assert len(standings.rows) == 4
    assert standings.entries[standings.rows[-1].player].is_gone


def test_an_account_that_is_shut_does_not_play_in_a_season_that_begins(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others would wait for its budget to be used up in each of their matches."""
    players = make_players(5)
    event = make_event(organiser, players)
    ban_user(players[0], "Insults.", now=NOON)
    hold(monkeypatch, START)
    assert season_of(event).entries.get(player=players[0]).is_gone
    assert not Seat.objects.filter(user=players[0]).exists()
    assert season_of(event).divisions.get().entries.count() == 4


def test_a_season_ends_on_its_date_though_a_match_of_it_cannot_be_played(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(organiser, make_players(4))
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    damaged = fixtures_of(season)[0].match
    assert damaged is not None
    Match.objects.filter(pk=damaged.pk).update(position='{"board": "none"}')
    hold(monkeypatch, season.ends_at)
    assert season_of(event).state == Season.State.OVER
    assert [seat.rank for seat in damaged.read_seats()] == [1, 1, 1, 1]
    assert season_of(event, 2).state == Season.State.ENTERING


@pytest.mark.slow
def test_the_table_of_a_season_stays_when_an_account_is_erased_afterwards(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The winner keeps the place; who was erased before the end stands last, then and later."""
    players = make_players(4)
    event = make_event(organiser, players)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    erase(players[1], now=NOON + 2 * DAY)
    play_all(season, now=NOON + 3 * DAY)
    hold(monkeypatch, season.ends_at)
    division = season_of(event).divisions.get()
    before = [row.player for row in find_standings(division).rows]
    winner = Entry.objects.get(pk=before[0])
    assert winner.player
    erase(winner.player, now=season.ends_at + DAY)
    assert [row.player for row in find_standings(division).rows] == before
    assert not Entry.objects.get(pk=before[0]).is_gone
    assert Entry.objects.get(pk=before[-1]).is_gone
    assert list(find_faults(season_of(event))) == []


@pytest.mark.slow
def test_standings_say_what_is_still_possible_and_lots_stay_secret(organiser: User) -> None:
    event = make_event(organiser, make_players(7))
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    division = season.divisions.get()
    before = find_standings(division)
    assert {(bound.best, bound.worst) for bound in before.bounds.values()} == {(1, 7)}
    assert {row.place for row in before.rows} == {1}
    assert {row.values[-1] for row in before.rows} == {0}
    play_all(season, now=NOON + 2 * DAY, most=5)
    between = find_standings(division)
    assert between.open_fixtures == 2
    play_all(season, now=NOON + 3 * DAY)
    after = find_standings(division)
    for row in after.rows:
        bound = between.bounds[row.player]
        assert bound.best <= row.place <= bound.worst


def test_the_table_costs_the_same_queries_whatever_its_size(
    organiser: User, django_assert_max_num_queries: object
) -> None:
    event = make_event(organiser, make_players(7))
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    division = Division.objects.select_related("season__event").get(season=season)
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        find_standings(division)


@pytest.mark.slow
def test_a_tournament_is_one_season_in_groups(organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event(organiser, make_players(10), format=Event.Format.TOURNAMENT, division_size=5)
    hold(monkeypatch, START)
    season = season_of(event)
    groups = season.divisions.all()
    assert {(group.level, group.number) for group in groups} == {(1, 1), (1, 2)}
    hold(monkeypatch, season.ends_at)
    assert event.seasons.count() == 1
    assert Event.objects.get().closed_at == season.ends_at
    assert set(season.entries.values_list("outcome", flat=True)) == {""}
