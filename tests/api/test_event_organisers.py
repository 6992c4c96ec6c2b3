"""Events organised by a program: each operation works, is refused to others, and acts once under its key."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.api.document import document
from gemserver.clubs.models import Club, Member
from gemserver.events.actions import start_season as starting
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Entry, Event, Season
from gemserver.events.standings import find_standings
from gemserver.lib import clock
from gemserver.matches.actions.clubs.open_club import close_club
from gemserver.matches.models import KeyedRequest, Match, Seat
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_user
from tests.events.leagues import fixtures_of, make_event, make_players, season_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

DAY = timedelta(days=1)


@pytest.fixture
def olga() -> User:
    return make_user("olga")


@pytest.fixture
def league(olga: User) -> Event:
    """Four players have entered it."""
    now = clock.now()
    return make_event(olga, make_players(4), starts_at=now + 7 * DAY, now=now)


@pytest.fixture
def season(league: Event, olga: User) -> Season:
    """The league is played."""
    return start_season(season_of(league).pk, by=olga, now=clock.now())


def terms(**fields: Any) -> dict[str, Any]:
    given = {
        "slug": "winter",
        "name": "Winter league",
        "about": "Slow and friendly.",
        "game": "gembatan",
        "seats": 4,
        "format": "league",
        "season_days": 42,
        "starts_at": (clock.now() + 7 * DAY).isoformat(),
    }
    return {**given, **fields}


def twice(program: Program, path: str, body: Any = None) -> Any:
    """The answer to a request that is sent twice under one key; the second one is a repetition."""
    first, second = (program.post(path, body, key="the same") for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200), first.content
    assert [answer.json()["repeat"] for answer in (first, second)] == [False, True]
    return first.json()


# --- Opening --------------------------------------------------------------------------------------


def test_a_program_opens_an_event_with_all_its_terms(olga: User) -> None:
    body = terms(
        options={},
        tie_breaks=["score-share"],
        division_size=13,
        exchanged=3,
        entry_days=10,
        rated=False,
    )
    assert twice(Program.of(olga), "events", body)["event"] == "winter"
    event = Event.objects.get()
    assert (event.about, event.tie_breaks) == ("Slow and friendly.", ["score-share", "lot"])
    assert (event.division_size, event.exchanged, event.entry_days) == (13, 3, 10)
    assert (event.is_rated, event.season_days, event.club) == (False, 42, None)
    assert event.organisers.get().user == olga
    assert season_of(event).starts_at.isoformat() == body["starts_at"]


def test_an_event_that_cannot_be_is_refused_in_the_words_of_the_action(olga: User, ana: User) -> None:
    program = Program.of(olga)
    for fields, code in (
        ({"game": "chess"}, "no-such-game"),
        ({"season_days": 43}, "bad-length"),
        ({"starts_at": "2020-01-01T12:00:00Z"}, "bad-dates"),
        ({"starts_at": "9999-12-31T23:59:59-12:00"}, "bad-dates"),
        ({"starts_at": "2027-01-01T12:00:00"}, "misfit"),
        ({"tie_breaks": ["beauty"]}, "bad-tie-breaks"),
        ({"slug": "new"}, "bad-event-name"),
        ({"club": "nowhere"}, "no-such-club"),
    ):
        assert code_of(program.post("events", terms(**fields))) == code, fields
    bot = Program.of(make_user("robo", owner=ana))
    assert code_of(bot.post("events", terms())) == "no-bots"
    assert code_of(Program.of(ana, "read", "talk").post("events", terms())) == "scope"
    assert not Event.objects.exists()


def test_only_organisers_of_an_open_club_open_its_events(olga: User, ana: User) -> None:
    club = Club.objects.create(slug="owls", name="Owls", is_private=True, created_at=NOON)
    Member.objects.create(club=club, user=olga, role=Member.Role.OWNER, joined_at=NOON)
    body = terms(club="owls")
    assert code_of(Program.of(ana).post("events", body)) == "no-such-club"
    Member.objects.create(club=club, user=ana, joined_at=NOON)
    refused = Program.of(ana).post("events", body)
    assert (refused.status_code, code_of(refused)) == (403, "not-club-organiser")
    assert Program.of(olga).post("events", body).status_code == 200
    close_club(club.pk, olga, now=NOON)
    assert (
        code_of(Program.of(olga).post("events", terms(club="owls", slug="two"), key="two")) == "club-closed"
    )


# --- Seasons --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_season_is_started_and_closed_once(league: Event, olga: User) -> None:
    program = Program.of(olga)
    twice(program, "events/league/start")
    season = season_of(league)
    assert (season.state, Match.objects.count()) == (Season.State.RUNNING, 4)
    refused = program.post("events/league/close-season", key="early")
    assert (refused.status_code, code_of(refused)) == (409, "still-playing")
    for fixture in fixtures_of(season):
        adjudicate_fixture(fixture.pk, [1, 2, 3, 4], by=olga, reason="Decided.", now=clock.now())
    assert program.post("events/league/close-season", key="early").json() == {"match": None, "repeat": False}
    assert program.post("events/league/close-season", key="early").json()["repeat"]
    assert season_of(league).state == Season.State.OVER


def test_a_repeated_start_never_starts_the_season_that_follows(league: Event, olga: User) -> None:
    program = Program.of(olga)
    assert program.post("events/league/start", key="s").status_code == 200
    season = season_of(league)
    close_season(season.pk, by=None, now=season.ends_at)
    following = season_of(league, 2)
    Entry.objects.bulk_create(
        Entry(season=following, player=entry.player, entered_at=entry.entered_at)
        for entry in season.entries.all()
    )
    assert program.post("events/league/start", key="s").json()["repeat"]
    assert season_of(league, 2).state == Season.State.ENTERING


def test_what_a_crash_has_ended_goes_on_when_it_is_repeated(
    league: Event, olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program.of(olga)
    program.client.raise_request_exception = False

    def crash(*_: object, **__: object) -> None:
        raise SystemError("the machine stops")

    with monkeypatch.context() as stopped:
        stopped.setattr(starting, "open_match", crash)
        crashed = program.post("events/league/start", key="s")
    assert (crashed.status_code, crashed.json()["code"]) == (500, "failed")
    assert "500" in document()["paths"]["/api/v1/events/{slug}/start"]["post"]["responses"]
    assert (season_of(league).state, Match.objects.count()) == (Season.State.RUNNING, 0)
    assert program.post("events/league/start", key="s").status_code == 200
    assert season_of(league).log.filter(kind="started").count() == 1


def test_a_refused_start_has_used_no_key_up(olga: User) -> None:
    now = clock.now()
    make_event(olga, make_players(2), starts_at=now + 7 * DAY, now=now)
    refused = Program.of(olga).post("events/league/start", key="s")
    assert (refused.status_code, code_of(refused)) == (409, "too-few-players")
    assert not KeyedRequest.objects.exists()


def test_an_event_is_closed_with_a_reason(league: Event, olga: User) -> None:
    program = Program.of(olga)
    assert code_of(program.post("events/league/close", {"reason": " "})) == "no-reason"
    twice(program, "events/league/close", {"reason": "Too few."})
    league.refresh_from_db()
    assert league.closed_at is not None
    assert league.log.get(kind="closed").reason == "Too few."


# --- Repairing ------------------------------------------------------------------------------------


def test_a_fixture_is_decided_by_the_code_of_its_match(season: Season, olga: User) -> None:
    program, fixture = Program.of(olga), fixtures_of(season)[0]
    assert fixture.match
    body = {"match": fixture.match.code, "ranks": [2, 1, 3, 3], "reason": "Seats were mixed up."}
    twice(program, "events/league/adjudicate", body)
    shown = program.get("events/league/fixtures").json()["fixtures"]
    (decided,) = [row for row in shown if row["adjudicated"]]
    assert (decided["match"], [place["rank"] for place in decided["places"]]) == (
        fixture.match.code,
        [2, 1, 3, 3],
    )
    assert code_of(program.post("events/league/adjudicate", {**body, "ranks": [1, 1, 2, 2]})) == "bad-ranks"
    other = program.post("events/league/adjudicate", {**body, "match": "M987654"})
    assert (other.status_code, code_of(other)) == (404, "no-such-fixture")


def test_points_are_corrected_once_for_each_key(season: Season, olga: User) -> None:
    program = Program.of(olga)
    body = {"name": "PLAYER02", "points": "-2.5", "reason": "Late."}
    twice(program, "events/league/correct", body)
    assert program.post("events/league/correct", body, key="once more").status_code == 200
    entry = season.entries.get(player__username="player02")
    rows = {row.player: row.points for row in find_standings(season.divisions.get()).rows}
    assert rows[entry.pk] == -5
    for points, code in (("0.001", "bad-points"), (0, "bad-points"), ("101", "misfit"), ("NaN", "misfit")):
        assert code_of(program.post("events/league/correct", {**body, "points": points})) == code
    nobody = program.post("events/league/correct", {**body, "name": "olga"})
    assert (nobody.status_code, code_of(nobody)) == (404, "no-such-entry")
    assert code_of(program.post("events/league/correct", {**body, "division": 2})) == "no-such-entry"


def test_a_player_whose_account_is_gone_is_named_as_the_table_does(season: Season, olga: User) -> None:
    entry = season.entries.order_by("number")[0]
    Entry.objects.filter(pk=entry.pk).update(player=None)
    body = {"name": "player 1", "newcomer": "nora", "reason": "Gone."}
    nora = make_user("nora")
    assert Program.of(olga).post("events/league/replace", body).status_code == 200
    assert Program.of(nora).post("events/league/enter").status_code == 200
    entry.refresh_from_db()
    assert entry.player
    assert entry.player.username == "nora"


def test_who_is_not_the_only_one_of_a_name_is_told_by_the_division(olga: User) -> None:
    now = clock.now()
    event = make_event(olga, make_players(8), division_size=4, starts_at=now + 7 * DAY, now=now)
    season = start_season(season_of(event).pk, by=olga, now=now)
    assert season.divisions.count() == 2
    season.entries.filter(number=0).update(player=None)
    program, body = Program.of(olga), {"name": "player 1", "points": 1, "reason": "Gone."}
    assert code_of(program.post("events/league/correct", body)) == "several-players"
    assert program.post("events/league/correct", {**body, "level": 2, "division": 1}).status_code == 200
    corrected = season.entries.get(corrections__isnull=False)
    assert corrected.division
    assert corrected.division.level == 2


def test_another_goes_on_for_a_player(season: Season, olga: User) -> None:
    make_user("nora")
    program = Program.of(olga)
    body = {"name": "player01", "newcomer": "nora", "reason": "Ill."}
    twice(program, "events/league/replace", body)
    asked = Program.of(User.objects.get(username="nora"))
    question = asked.get("events/league").json()["question"]
    assert (question["former"], question["by"], question["reason"]) == ("player01", "olga", "Ill.")
    assert not Seat.objects.filter(user__username="nora").exists()
    twice(asked, "events/league/enter", None)
    assert Seat.objects.filter(user__username="nora").count() == 4
    own = program.post("events/league/replace", {**body, "name": "player02", "newcomer": "olga"})
    assert (own.status_code, code_of(own)) == (403, "decides-for-self")
    assert code_of(program.post("events/league/replace", {**body, "newcomer": "zoe"})) == "no-such-entry"
    body["name"] = "player02"
    assert code_of(program.post("events/league/replace", {**body, "newcomer": "zoe"})) == "no-such-player"
    make_user("robo", owner=olga)
    assert code_of(program.post("events/league/replace", {**body, "newcomer": "robo"})) == "no-bots"


# --- Organising together --------------------------------------------------------------------------


def test_an_event_is_shared_and_who_goes_is_answered_when_they_repeat_it(league: Event, olga: User) -> None:
    hana, program = make_user("hana"), Program.of(olga)
    assert code_of(program.post("events/league/organisers/remove", {"name": "olga"})) == "last-organiser"
    twice(program, "events/league/organisers/add", {"name": "hana"})
    assert set(program.get("events/league").json()["organisers"]) == {"olga", "hana"}
    twice(Program.of(hana), "events/league/organisers/remove", {"name": "hana"})
    assert program.get("events/league").json()["organisers"] == ["olga"]
    program.post("events/league/organisers/add", {"name": "hana"}, key="the same")
    assert league.organisers.count() == 1, "a repetition does not bring back who has gone"
    make_user("robo", owner=hana)
    assert code_of(program.post("events/league/organisers/add", {"name": "robo"})) == "no-bots"


# --- Who may --------------------------------------------------------------------------------------

BODIES: dict[str, Any] = {
    "start": None,
    "close-season": None,
    "close": {"reason": "Mine."},
    "adjudicate": {"match": "M1", "ranks": [1, 2, 3, 4], "reason": "Mine."},
    "correct": {"name": "player01", "points": 1, "reason": "Mine."},
    "replace": {"name": "player01", "newcomer": "stranger", "reason": "Mine."},
    "replace/take-back": {"name": "player01"},
    "organisers/add": {"name": "stranger"},
    "organisers/remove": {"name": "olga"},
}


def test_the_tests_know_every_operation_of_organisers() -> None:
    paths = [path for path, methods in document()["paths"].items() if "post" in methods]
    root = "/api/v1/events/{slug}/"
    found = {path.removeprefix(root) for path in paths if path.startswith(root)}
    assert found == set(BODIES) | {"enter", "withdraw", "report"}


@pytest.mark.slow
@pytest.mark.parametrize("verb", BODIES)
def test_nobody_else_organises_neither_strangers_nor_players_moderators_and_bots(
    verb: str, season: Season, olga: User
) -> None:
    player = season.entries.all()[0].player
    assert player is not None
    stranger, bot = make_user("stranger"), make_user("robo", owner=olga)
    for user in (stranger, player, make_user("mo", role=Role.MODERATOR), bot):
        answer = Program.of(user).post(f"events/league/{verb}", BODIES[verb])
        assert (answer.status_code, code_of(answer)) == (403, "not-organiser"), user
    assert code_of(Program.of(olga, "read", "talk").post(f"events/league/{verb}", BODIES[verb])) == "scope"
    assert [line.kind for line in season.event.log.order_by("pk") if line.kind != "entered"] == [
        "opened",
        "started",
    ]


@pytest.mark.parametrize("verb", BODIES)
def test_a_private_clubs_event_is_not_there_for_others(verb: str, olga: User, ana: User) -> None:
    club = Club.objects.create(slug="owls", name="Owls", is_private=True, created_at=NOON)
    Member.objects.create(club=club, user=olga, role=Member.Role.OWNER, joined_at=NOON)
    now = clock.now()
    make_event(olga, [], slug="owl-cup", club=club, starts_at=now + 7 * DAY, now=now)
    for user in (ana, make_user("mo", role=Role.MODERATOR)):
        real, none = (
            Program.of(user).post(f"events/{slug}/{verb}", BODIES[verb]) for slug in ("owl-cup", "owl-cap")
        )
        assert (real.status_code, code_of(real)) == (404, "no-such-event")
        assert real.content == none.content


def test_who_plays_in_a_division_decides_nothing_in_it(season: Season, olga: User) -> None:
    player = season.entries.all()[0].player
    assert player is not None
    Program.of(olga).post("events/league/organisers/add", {"name": player.username})
    refused = Program.of(player).post("events/league/correct", BODIES["correct"])
    assert (refused.status_code, code_of(refused)) == (403, "plays-here")
