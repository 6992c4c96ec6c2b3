"""Events of clubs, when the club is closed and when somebody leaves it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.clubs.models import Club
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.enter import enter
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.actions.share_event import add_organiser
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Entry, Event, Season
from gemserver.events.rights import is_organiser
from gemserver.inbox.erasure import erase
from gemserver.matches.actions.clubs.leave_club import leave_club, remove_member
from gemserver.matches.actions.clubs.open_club import close_club
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from tests.api.programs import Program
from tests.builders import NOON, make_user
from tests.clubs.people import make_club
from tests.events.leagues import START, hold, make_event, make_players, play_all, season_of
from tests.mailgate.posting import codes, sent_to, write

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def owner() -> User:
    return make_user("owner")


@pytest.fixture
def players() -> list[User]:
    return make_players(4)


@pytest.fixture
def club(owner: User, players: list[User]) -> Club:
    return make_club("chess", owner, *players)


@pytest.fixture
def event(owner: User, players: list[User], club: Club) -> Event:
    """A league of two seats whose players have entered."""
    return make_event(owner, players, seats=2, season_days=28, club=club)


def begin(event: Event, owner: User) -> Season:
    return start_season(season_of(event).pk, by=owner, now=NOON)


# --- The club is closed ---------------------------------------------------------------------------


def test_entries_are_off_once_the_club_is_closed_and_players_are_told(
    event: Event, club: Club, owner: User, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    close_club(club.pk, owner, now=NOON)
    with pytest.raises(Refused, match="club-closed"):
        start_season(season_of(event).pk, by=owner, now=NOON)
    with pytest.raises(Refused, match="club-closed"):
        enter(event.pk, owner, now=NOON)
    hold(monkeypatch, NOON + DAY)
    event.refresh_from_db()
    assert event.closed_at
    assert season_of(event).state == Season.State.CANCELLED
    assert list(event.log.order_by("pk").values_list("kind", flat=True)) == ["opened", "club-closed"]
    delivery.send_queued()
    [letter] = sent_to(players[0])
    assert "Season 1 of League is not played." in letter.body
    assert "Its club was closed, and the event with it." in letter.body
    hold(monkeypatch, START + 400 * DAY)
    assert event.seasons.count() == 1


@pytest.mark.slow
def test_a_season_that_runs_when_the_club_is_closed_is_the_last(
    event: Event, club: Club, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = begin(event, owner)
    close_club(club.pk, owner, now=NOON + DAY)
    hold(monkeypatch, NOON + 2 * DAY)
    assert Match.objects.filter(status=Match.Status.RUNNING).exists()
    play_all(season, now=NOON + 2 * DAY)
    hold(monkeypatch, season.ends_at)
    event.refresh_from_db()
    assert season_of(event).state == Season.State.OVER
    assert event.closed_at
    assert event.seasons.count() == 1
    assert event.log.last().kind == "club-closed"


def test_a_club_that_ends_with_its_last_member_ends_its_events(
    event: Event, owner: User, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    for user in [*players, owner]:
        erase(user, now=NOON)
    hold(monkeypatch, NOON + DAY)
    event.refresh_from_db()
    assert event.closed_at
    assert season_of(event).state == Season.State.CANCELLED


# --- Somebody leaves the club ---------------------------------------------------------------------


@pytest.mark.parametrize("way", ["page", "program", "mail"])
@pytest.mark.parametrize("is_removed", [False, True])
def test_who_has_left_the_club_may_withdraw_from_its_season(
    event: Event, club: Club, owner: User, players: list[User], client: Client, way: str, is_removed: bool
) -> None:
    begin(event, owner)
    leaver = players[0]
    if is_removed:
        remove_member(club.pk, owner, leaver.username, now=NOON)
    else:
        leave_club(club.pk, leaver, now=NOON)
    if way == "page":
        client.force_login(leaver)
        assert client.get("/events/league/").status_code == 200
        shown = client.post("/events/league/", {"do": "withdraw"}, follow=True)
        assert (shown.status_code, "You have withdrawn." in shown.content.decode()) == (200, True)
        assert client.get("/events/league/").status_code == 404, "there is nothing of theirs any more"
    elif way == "program":
        program = Program.of(leaver)
        assert [line["slug"] for line in program.get("events").json()["events"]] == ["league"]
        assert program.post("events/league/withdraw", {}).status_code == 200
        assert program.get("events").json()["events"] == []
    else:
        assert codes(write(leaver, "withdraw league")) == ["done"]
        assert codes(write(leaver, "standings league")) == ["no-such-event"]
    assert Entry.objects.get(player=leaver).withdrawn_at
    assert not Seat.objects.filter(user=leaver, match__status=Match.Status.RUNNING).exists()


@pytest.mark.slow
def test_who_has_left_the_club_is_told_how_the_season_ends_and_sees_no_other(
    event: Event, club: Club, owner: User, players: list[User], client: Client
) -> None:
    season = begin(event, owner)
    leave_club(club.pk, players[0], now=NOON)
    play_all(season, now=NOON + DAY)
    close_season(season.pk, by=owner, now=NOON + DAY)
    delivery.send_queued()
    assert "[Season 1 is over] League" in [letter.subject for letter in sent_to(players[0])]
    client.force_login(players[0])
    assert client.get("/events/league/").status_code == 404
    with pytest.raises(Refused, match="not-member"):
        enter(event.pk, players[0], now=NOON + DAY)


def test_who_has_left_the_club_is_told_that_another_goes_on_for_them(
    event: Event, club: Club, owner: User, players: list[User]
) -> None:
    begin(event, owner)
    newcomer = make_user("newcomer")
    club.members.create(user=newcomer, joined_at=NOON)
    leave_club(club.pk, players[0], now=NOON)
    entry = Entry.objects.get(player=players[0])
    propose_replacement(entry.pk, newcomer, by=owner, reason="left the club", now=NOON)
    enter(event.pk, newcomer, now=NOON)
    delivery.send_queued()
    assert "[You do not play any more] League" in [letter.subject for letter in sent_to(players[0])]


def test_who_has_left_the_club_organises_its_event_no_more_though_they_play(
    event: Event, club: Club, owner: User, players: list[User]
) -> None:
    begin(event, owner)
    add_organiser(event.pk, players[0], by=owner, now=NOON)
    assert is_organiser(event, players[0])
    leave_club(club.pk, players[0], now=NOON)
    assert not is_organiser(event, players[0])
    leave_club(club.pk, players[1], now=NOON)
    with pytest.raises(Refused, match="not-member"):
        add_organiser(event.pk, players[1], by=owner, now=NOON)
