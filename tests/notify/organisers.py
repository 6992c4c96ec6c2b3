"""Scenes of those who organise: leagues, tournaments and clubs."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.correct_points import correct_points
from gemserver.events.actions.enter import enter
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.actions.share_event import add_organiser, remove_organiser
from gemserver.events.actions.start_season import start_season
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Event, Season
from gemserver.matches.actions.clubs.join_club import invite_member, join_club
from gemserver.matches.actions.clubs.post_to_list import post_to_list
from gemserver.matches.actions.people.shut_account import shut_account
from gemserver.notify import delivery
from tests.clubs.people import make_club, open_for
from tests.events.leagues import fixtures_of, make_event, play_all, season_of
from tests.notify.stage import DAY, TALK, Stage

ABOUT = "We play *slowly*, on Wednesdays.\nBeginners are welcome."


def _event(stage: Stage, count: int = 8, **fields: object) -> tuple[User, list[User], Event]:
    organiser = stage.player("olga")
    players = [
        stage.player(f"player{number:02}", "Bartholomaeus Maximilian" if number == 1 else "")
        for number in range(count)
    ]
    fields = {"starts_at": stage.now + 7 * DAY, "name": "Winter league of the lake", **fields}
    return organiser, players, make_event(organiser, players, **fields)


def season(stage: Stage) -> None:
    organiser, players, event = _event(stage, division_size=4, exchanged=1)
    season = start_season(season_of(event).pk, by=organiser, now=stage.now + DAY)
    stage.wait(DAY + timedelta(minutes=5))
    fixtures = fixtures_of(season)
    adjudicate_fixture(
        fixtures[0].pk, [1, 2, 2, 4], by=organiser, reason="A storm took the power.", now=stage.now
    )
    entry = season.entries.get(player=players[0])
    correct_points(entry.pk, Decimal("-1.5"), by=organiser, reason="Late.", request_key="k", now=stage.now)
    newcomer = stage.player("nina")
    for asked in (stage.player("rosa"), newcomer):
        propose_replacement(entry.pk, asked, by=organiser, reason="Moved away.", now=stage.now)
        delivery.send_queued()
        (enter if asked == newcomer else withdraw)(event.pk, asked, now=stage.now)
        delivery.send_queued()
    add_organiser(event.pk, players[2], by=organiser, now=stage.now)
    delivery.send_queued()
    remove_organiser(event.pk, players[2], by=organiser, now=stage.now)
    delivery.send_queued()
    play_all(season, now=stage.now, most=3)
    stage.now = season.ends_at
    close_season(season.pk, by=None, now=season.ends_at)
    stage.command(newcomer, "events\nstandings league\nenter winter")


def season_off(stage: Stage) -> None:
    _, _, event = _event(stage, count=2)
    stage.now += 7 * DAY
    start_season(season_of(event).pk, by=None, now=stage.now)


def swiss(stage: Stage) -> None:
    organiser, _, event = _event(
        stage, 4, format=Event.Format.SWISS, game="gem", seats=2, rounds=3, season_days=84
    )
    start_season(season_of(event).pk, by=organiser, now=stage.now + DAY)
    assert season_of(event).state == Season.State.RUNNING
    stage.wait(DAY + timedelta(minutes=5))


def clubs(stage: Stage) -> None:
    owner, member = stage.player("olga"), stage.player("mia")
    club = make_club("Lake", owner, member, is_private=False)
    Club.objects.update(about=ABOUT)
    invite_member(club.pk, owner, stage.player("ivo").username, now=stage.now)
    asker = stage.player("ben", "Bartholomaeus Maximilian")
    join_club(club.pk, asker, now=stage.now)
    delivery.send_queued()
    invite_member(club.pk, owner, asker.username, now=stage.now)
    Member.objects.filter(user=member).update(list_mode=Member.ListMode.EACH)
    Member.objects.filter(user=owner).update(list_mode=Member.ListMode.DIGEST)
    post_to_list(club.pk, asker, "Next Wednesday", TALK, key="k", now=stage.now)
    post_to_list(club.pk, asker, "", "And bring cake.", key="l", now=stage.now)
    stage.wait(DAY)
    open_for(club, owner)
    stage.command(owner, "clubs\nclub lake")
    delivery.send_queued()
    shut_account(owner, "no", now=stage.now)
