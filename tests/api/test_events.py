"""Leagues and tournaments as programs see them."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from hashlib import sha256

import pytest

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Event
from gemserver.events.standings import find_standings
from gemserver.lib import clock
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_user
from tests.events.leagues import fixtures_of, make_event, make_players, play_all, season_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

DAY = timedelta(days=1)


@pytest.fixture
def olga() -> User:
    return make_user("olga")


def soon(olga: User, players: list[User], **fields: object) -> Event:
    """An event whose entries are open now."""
    now = clock.now()
    return make_event(olga, players, **{"starts_at": now + 7 * DAY, "now": now, **fields})


def test_a_program_finds_enters_and_leaves_an_event(ana: User, olga: User) -> None:
    soon(olga, make_players(3), name="Winter league", slug="winter")
    program = Program.of(ana)
    (line,) = program.get("events").json()["events"]
    assert (line["slug"], line["entered"], line["season"]["state"]) == ("winter", False, "entering")
    assert line["season"]["secret"] is None
    answers = [program.post("events/winter/enter", key="k").json() for _ in range(2)]
    assert [answer["repeat"] for answer in answers] == [False, True]
    shown = program.get("events/winter").json()
    assert (shown["entered"], shown["season"]["entered"]) == (True, 4)
    assert shown["clock"] == {"bank": 10 * 24 * 3600, "closing": 24 * 3600}
    assert shown["points"] == [10, 6, 3, 1]
    assert shown["tie_breaks"][-1] == "lot"
    assert shown["round_ends"] == [shown["season"]["ends_at"]]
    assert program.post("events/winter/withdraw").status_code == 200
    assert not program.get("events/winter").json()["entered"]


@pytest.mark.slow
def test_standings_add_up_exactly_and_fixtures_name_their_matches(olga: User) -> None:
    players = make_players(7)
    event = make_event(olga, players)
    season = start_season(season_of(event).pk, by=olga, now=NOON)
    program = Program.of(players[0])
    play_all(season, now=NOON, most=5)
    (table,) = program.get("events/league/standings").json()["divisions"]
    assert table["open_fixtures"] == 2
    assert sum(Fraction(row["points"]) for row in table["rows"]) == 5 * 20
    assert [row["you"] for row in table["rows"]].count(True) == 1
    assert all(1 <= row["best"] <= row["worst"] <= 7 for row in table["rows"])
    rows = program.get("events/league/fixtures").json()["fixtures"]
    assert {row["match"] for row in rows} == {one.match.code for one in fixtures_of(season) if one.match}
    assert sorted(row["state"] for row in rows) == ["over"] * 5 + ["running"] * 2
    mine = program.get("events/league/fixtures?mine=true").json()["fixtures"]
    assert len(mine) == 4
    assert all(any(place["you"] for place in row["places"]) for row in mine)
    close_season(season.pk, by=None, now=season.ends_at)
    over = program.get("events/league/standings?season=1").json()
    assert sha256(over["season"]["secret"].encode()).hexdigest() == over["season"]["commitment"]
    (table,) = over["divisions"]
    expected = [(row.place, str(row.points)) for row in find_standings(season.divisions.get()).rows]
    assert [(row["place"], row["points"]) for row in table["rows"]] == expected


def test_what_is_not_there_or_not_allowed_is_said(ana: User, olga: User) -> None:
    event = soon(olga, make_players(4))
    program = Program.of(ana)
    assert code_of(program.get("events/nowhere")) == "no-such-event"
    assert code_of(program.get("events/league/standings")) == "no-such-season"
    assert program.get("events/league/fixtures?season=7").status_code == 404
    assert code_of(program.post("events/league/withdraw")) == "not-entered"
    bot = make_user("robo", owner=ana)
    assert code_of(Program.of(bot).post("events/league/enter")) == "no-bots"
    assert code_of(Program.of(ana, "read").post("events/league/enter")) == "scope"
    start_season(season_of(event).pk, by=olga, now=clock.now())
    refused = program.post("events/league/enter")
    assert (refused.status_code, code_of(refused)) == (409, "entries-closed")


def test_a_private_clubs_event_is_not_there_for_others(ana: User, ben: User, olga: User) -> None:
    club = Club.objects.create(slug="owls", name="Owls", is_private=True, created_at=NOON)
    for user, role in ((olga, Member.Role.OWNER), (ben, Member.Role.MEMBER)):
        Member.objects.create(club=club, user=user, role=role, joined_at=NOON)
    soon(olga, [], slug="owl-cup", name="Owl cup", club=club)
    stranger, member = Program.of(ana), Program.of(ben)
    assert stranger.get("events").json()["events"] == []
    for path in ("", "/standings", "/fixtures"):
        answers = [stranger.get(f"events/{slug}{path}") for slug in ("owl-cup", "owl-cap")]
        assert answers[0].content == answers[1].content
        assert answers[0].status_code == 404
    for verb in ("enter", "withdraw"):
        assert code_of(stranger.post(f"events/owl-cup/{verb}")) == "no-such-event"
    assert member.get("events/owl-cup").json()["club"] == "owls"
    assert member.post("events/owl-cup/enter").status_code == 200


def test_lists_come_in_pages(olga: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.api.standings.PER_PAGE", 3)
    players = make_players(7)
    event = make_event(olga, players)
    start_season(season_of(event).pk, by=olga, now=NOON)
    program = Program.of(players[0])
    seen, path = [], "events/league/fixtures"
    while path:
        page = program.get(path).json()
        seen += [row["number"] for row in page["fixtures"]]
        path = f"events/league/fixtures?cursor={page['next']}" if page["next"] else ""
    assert sorted(seen) == list(range(1, 8))
