"""The mails about seasons: to whom, how often, and in what words."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.close_event import close_event
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.correct_points import correct_points
from gemserver.events.actions.enter import enter
from gemserver.events.actions.pair_round import pair_round
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.actions.start_season import start_season
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Event, Season
from gemserver.lib import clock
from gemserver.matches.models import NotificationChoice
from gemserver.notify.content import announce
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_user
from tests.events.leagues import START, fixtures_of, make_event, make_players, play_all, season_of
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

DAY = timedelta(days=1)


def rows(kind: str, reader: User | None = None) -> int:
    found = OutboxMessage.objects.filter(kind=kind)
    return (found if reader is None else found.filter(user=reader)).count()


def of_kind(reader: User, news: str) -> EmailMultiAlternatives:
    """The one mail to this reader whose subject begins so."""
    (letter,) = [each for each in sent_to(reader) if str(each.subject).startswith(f"[{news}")]
    return letter


def html_of(letter: EmailMultiAlternatives) -> str:
    return " ".join(str(letter.alternatives[0][0]).split())


def widest(letter: EmailMultiAlternatives) -> int:
    return max(len(line) for line in str(letter.body).splitlines() if "://" not in line)


@pytest.mark.slow
def test_one_mail_tells_of_all_fixtures_and_the_matches_tell_only_who_is_asked(organiser: User) -> None:
    players = make_players(7)
    event = make_event(organiser, players)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    for _ in range(2):
        start_season(season.pk, by=organiser, now=NOON + DAY)
    assert rows("season-started") == 7
    assert rows("started") == 0
    asked = OutboxMessage.objects.filter(kind="turn")
    assert asked.count() >= 7
    letter = of_kind(players[0], "Season 1 begins")
    text = one_line(letter)
    assert letter.subject == "[Season 1 begins] League"
    assert "You play in season 1 of League." in text
    for fixture in fixtures_of(season):
        assert fixture.match is not None
        mine = fixture.places.filter(entry__player=players[0]).exists()
        assert (f"Gembatan {fixture.match.code}: " in text) == mine
        assert (f"/m/{fixture.match.code}/" in html_of(letter)) == mine
    assert text.count(", you") + text.count("you, ") >= 4
    assert "The season ends on Fri 24 Apr 2026 12:00 UTC, even if matches are still running." in text
    assert "10 days for the whole match" in text
    assert "write: standings league" in text
    assert widest(letter) <= 78


@pytest.mark.slow
def test_the_final_table_comes_once_with_the_way_into_the_next_season(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = make_players(8)
    event = make_event(organiser, players, division_size=4, exchanged=1)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    withdraw(event.pk, players[7], now=NOON + 2 * DAY)
    play_all(season, now=NOON + 3 * DAY)
    for _ in range(2):
        close_season(season.pk, by=None, now=season.ends_at)
    assert rows("season-over") == 7
    assert rows("season-over", players[7]) == 0
    champion = season.entries.get(outcome="promoted")
    assert champion.player is not None
    letter = of_kind(champion.player, "Season 1 is over")
    text = one_line(letter)
    assert "You are number 1 of 4, and promoted: you go up to division 1." in text
    assert "The final table of season 1 of League, division 2:" in text
    assert f"{champion.player.username} (you)" in text
    assert "player07 (left)" in text
    assert "reply with: enter league" in text
    assert "body=enter%20league" in html_of(letter)
    assert html_of(letter).count("<td") == 4 * html_of(letter).count("<th ")
    assert widest(letter) <= 78
    token = str(letter.reply_to[0])
    monkeypatch.setattr(clock, "now", lambda: season.ends_at)
    assert codes(write(champion.player, "enter league", to=token)) == ["done"]
    assert season_of(event, 2).entries.filter(player=champion.player).exists()


@pytest.mark.slow
def test_matches_that_the_season_ends_are_told_in_its_mail_alone(organiser: User) -> None:
    players = make_players(4)
    season = start_season(season_of(make_event(organiser, players)).pk, by=organiser, now=NOON + DAY)
    play_all(season, now=NOON + 2 * DAY, most=1)
    close_season(season.pk, by=None, now=season.ends_at)
    ended = {fixture.match for fixture in fixtures_of(season)[1:]}
    for player in players:
        text = one_line(of_kind(player, "Season 1 is over"))
        told = set(re.findall(r"\* Gembatan (M\d+): you (?:were number|shared place) [1-4]", text))
        assert told == {match.code for match in ended if match and match.seats.filter(user=player).exists()}
    finished = OutboxMessage.objects.filter(kind="finished").values_list("data__match", flat=True)
    assert not set(finished) & {match.pk for match in ended if match}


@pytest.mark.slow
def test_relegation_is_said_and_a_tournament_has_no_next_season(organiser: User) -> None:
    players = make_players(8)
    event = make_event(organiser, players, division_size=4, exchanged=1)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    close_season(season.pk, by=None, now=season.ends_at)
    down = season.entries.get(outcome="relegated").player
    assert down is not None
    assert "and relegated: you go down to division 2." in one_line(of_kind(down, "Season 1 is over"))
    cup = make_event(organiser, players[:4], slug="cup", name="Cup", format=Event.Format.TOURNAMENT)
    run = start_season(season_of(cup).pk, by=organiser, now=NOON + DAY)
    close_season(run.pk, by=None, now=run.ends_at)
    (letter,) = [each for each in sent_to(players[0]) if each.subject == "[Season 1 is over] Cup"]
    assert "No further season is open." in one_line(letter)
    assert "enter cup" not in one_line(letter)


def test_a_season_without_enough_players_is_told_once_with_the_next_date(organiser: User) -> None:
    players = make_players(3)
    event = make_event(organiser, players)
    withdraw(event.pk, players[2], now=NOON)
    for _ in range(2):
        start_season(season_of(event).pk, by=None, now=START)
    assert (rows("season-off"), rows("season-off", players[2])) == (2, 0)
    text = one_line(of_kind(players[0], "Season 1 is not played"))
    assert "It needs 4 players; entered: 2." in text
    assert "You have entered season 2 instead, which begins on Fri 20 Mar 2026 12:00 UTC." in text
    assert "To withdraw, write: withdraw league" in text


def test_an_event_that_is_closed_before_the_start_gives_the_reason(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    close_event(event.pk, by=organiser, reason="I move house.", now=NOON + DAY)
    text = one_line(of_kind(players[0], "Season 1 is not played"))
    assert "An organiser has closed the event. | I move house." in text
    assert "instead" not in text


@pytest.mark.slow
def test_decisions_go_once_to_those_whom_they_concern(organiser: User) -> None:
    players = make_players(5)
    newcomer = make_user("nina")
    event = make_event(organiser, players)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    entry = season.entries.get(player=players[0])
    for _ in range(2):
        correct_points(
            entry.pk, Decimal("-1.5"), by=organiser, reason="Late.", request_key="k", now=NOON + 2 * DAY
        )
    assert rows("event-decision") == rows("event-decision", players[0]) == 1
    text = one_line(of_kind(players[0], "Your points are corrected"))
    assert "An organiser has taken points from you in season 1 of League: 1½." in text
    assert "in the words of olga: | Late." in text

    fixture = fixtures_of(season)[0]
    concerned = {place.entry.player for place in fixture.places.all()}
    for _ in range(2):
        adjudicate_fixture(fixture.pk, [1, 2, 2, 4], by=organiser, reason="A storm.", now=NOON + 3 * DAY)
    told = OutboxMessage.objects.filter(kind="event-decision", data__log__gt=0).exclude(user=players[0])
    assert {row.user for row in told} == concerned - {players[0]}
    someone = next(player for player in concerned if player and player != players[0])
    text = one_line(of_kind(someone, "A fixture is decided"))
    assert fixture.match is not None
    assert f"has decided Gembatan {fixture.match.code}, a fixture of season 1 of League" in text
    assert "is number 4" in text
    assert text.count("shares place 2") == 2
    assert "is number 2" not in text
    assert "| A storm." in text

    before = rows("seat-given"), rows("replaced")
    propose_replacement(entry.pk, newcomer, by=organiser, reason="Moved away.", now=NOON + 4 * DAY)
    enter(event.pk, newcomer, now=NOON + 4 * DAY)
    assert (rows("seat-given"), rows("replaced")) == before
    text = one_line(of_kind(newcomer, "You play in this season"))
    assert "You play in season 1 of League from now on; the points so far are yours." in text
    assert text.count("/m/M") == newcomer.seats.count() >= 3
    assert "Somebody else plays for you" in one_line(of_kind(players[0], "You do not play any more"))


def test_who_wants_no_mail_about_tables_gets_none_and_a_digest_holds_none_back(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    choices = (NotificationChoice.Channel.WEB, NotificationChoice.Channel.DIGEST)
    for player, channel in zip(players, choices, strict=False):
        NotificationChoice.objects.create(user=player, event="table", channel=channel)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert [rows("season-started", player) for player in players] == [0, 1, 1, 1]


@pytest.mark.slow
def test_who_withdraws_before_the_mail_is_sent_gets_none(organiser: User) -> None:
    players = make_players(5)
    event = make_event(organiser, players)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    withdraw(event.pk, players[0], now=NOON + DAY)
    assert not [each for each in sent_to(players[0]) if "Season 1 begins" in str(each.subject)]
    assert OutboxMessage.objects.get(kind="season-started", user=players[0]).state == "skipped"


@pytest.mark.slow
def test_the_mails_speak_the_language_and_the_zone_of_their_readers(organiser: User) -> None:
    players = make_players(4)
    players[0].time_zone = "Asia/Tokyo"
    players[0].save()
    event = make_event(organiser, players)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert "24 Apr 2026 21:00 JST" in one_line(of_kind(players[0], "Season 1 begins"))


@pytest.mark.slow
def test_a_chat_learns_nothing_of_a_private_club(organiser: User) -> None:
    players = make_players(4)
    club = Club.objects.create(slug="owls", name="Owls", is_private=True, created_at=NOON)
    for user in [organiser, *players]:
        role = Member.Role.OWNER if user == organiser else Member.Role.MEMBER
        Member.objects.create(club=club, user=user, role=role, joined_at=NOON)
    event = make_event(organiser, players, slug="owl-cup", name="Owl cup", club=club)
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    row = OutboxMessage.objects.filter(kind="season-started", user=players[0]).get()
    said = announce(row)
    assert said is not None
    assert "owl" not in f"{said.title} {said.text} {said.path} {said.about}".lower()
    club.members.filter(user__in=players[1:3]).delete()
    withdraw(event.pk, players[2], now=NOON + DAY)
    for player, state in [(players[1], "sent"), (players[2], "skipped")]:
        sent_to(player)
        assert OutboxMessage.objects.get(kind="season-started", user=player).state == state


def test_a_public_season_is_announced_by_name(organiser: User) -> None:
    event = make_event(organiser, make_players(4))
    start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    said = announce(OutboxMessage.objects.filter(kind="season-started")[0])
    assert said is not None
    assert (said.title, said.path) == ("The season begins: League", "/events/league/")


@pytest.mark.slow
def test_a_swiss_round_is_told_by_its_matches(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players, format=Event.Format.SWISS, seats=2, rounds=3, season_days=84)
    season = start_season(season_of(event).pk, by=organiser, now=NOON + DAY)
    assert rows("started") == 0
    assert "Your fixture of the first round" in one_line(of_kind(players[0], "Season 1 begins"))
    play_all(season, now=NOON + 2 * DAY)
    assert pair_round(season.pk, now=NOON + 3 * DAY) == 2
    assert rows("started") == 2


def test_who_had_entered_again_after_a_cancelled_season_is_not_told_twice(organiser: User) -> None:
    players = make_players(2)
    event = make_event(organiser, players)
    start_season(season_of(event).pk, by=None, now=START)
    following = season_of(event, 2)
    enter(event.pk, players[0], now=START)
    assert following.entries.count() == 2
    assert following.state == Season.State.ENTERING
    assert rows("season-off") == 2


def test_a_season_that_the_server_slept_through_is_told_too(organiser: User) -> None:
    players = make_players(4)
    event = make_event(organiser, players)
    start_season(season_of(event).pk, by=None, now=season_of(event).ends_at)
    text = one_line(of_kind(players[0], "Season 1 is not played"))
    assert "The server was down when it should have begun. You have entered season 2 instead" in text
