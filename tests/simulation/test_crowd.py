"""Every feature meets every other: people, moderators and organisers do anything at any time, in an order drawn by lot.

`SEED=7` draws others. A failure names its seed and the last acts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import date, timedelta

import pytest

from gemserver.accounts import bans
from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.close_event import close_event
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.enter import enter
from gemserver.events.actions.event_terms import EventTerms
from gemserver.events.actions.open_event import open_event
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.actions.start_season import start_season
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Entry, Event, Fixture, Replacement, Season
from gemserver.lib import clock
from gemserver.matches import sitters
from gemserver.matches.actions.clubs.join_club import invite_member, join_club
from gemserver.matches.actions.clubs.leave_club import leave_club, remove_member
from gemserver.matches.actions.clubs.open_club import change_club, close_club, open_club
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.people.shut_account import reopen_account, shut_account
from gemserver.matches.actions.people.snooze import snooze
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.answer_proposal import agree
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.store_plan import store_plan
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, end_sitting, propose_sitting
from gemserver.matches.actions.seats.hand_over import reassign_seat, take_seat
from gemserver.matches.actions.tables.answer_invitation import accept_invitation, decline_invitation
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import leave_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.come_back import come_back
from gemserver.matches.actions.time.extend_clock import extend_clock
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.actions.time.take_vacation import announce_vacation
from gemserver.matches.boards import board
from gemserver.matches.models import Holiday, Invitation, Match, Move, Seat, Stop, Undo
from gemserver.ratings.void_result import void_result
from tests.builders import THREE_DAYS
from tests.mailgate.posting import write
from tests.simulation.crowd import Crowd, Nothing

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.usefixtures("guessing_bots")]

ACTS = 220
LOOKS = 55
"""So many acts lie between two looks at everything."""
GAMES = ("gem", "jewellers", "gemessengers", "gembatan", "florentine")
WHY = "A test."


def open_a_table(crowd: Crowd) -> None:
    """Most tables fill up at once; some wait, some are of a club."""
    creator, seats = crowd.user(), crowd.chance.choice([2, 2, 3, 4])
    member = creator.memberships.filter(club__closed_at=None).first() if crowd.chance.random() < 0.3 else None
    game = crowd.chance.choice(GAMES)
    terms = Terms(
        game=game,
        seats=seats,
        time_control=THREE_DAYS,
        options={"pace": "sealed"} if game in GAMES[:2] and crowd.chance.random() < 0.5 else {},
        absence=crowd.chance.choice(list(Match.Absence)),
        club=member.club if member else None,
    )
    match = open_table(creator, terms, now=crowd.now)
    for _ in range(seats - 1 if crowd.chance.random() < 0.8 else 0):
        join_table(match.pk, crowd.user(), now=crowd.now)


def play_on(crowd: Crowd) -> None:
    """Somebody who is asked answers, or the sitter; now and then the whole table plays on for a while."""
    first = crowd.seat(is_waiting=True, is_away=False)
    for _ in range(crowd.chance.choice([1, 1, 20, 60])):
        asked = first.match.seats.select_related("user", "match").filter(is_waiting=True, is_away=False)
        seat = asked.exclude(user=None).filter(match__status=Match.Status.RUNNING).first()
        if seat is None:
            return
        assert seat.user
        sitting = sitters.sitting_in(seat, crowd.now)
        crowd.play(seat, sitting.sitter if sitting else seat.user)


def plan(crowd: Crowd) -> None:
    seat = crowd.seat()
    text = crowd.text_for(crowd.seat(match=seat.match, is_waiting=True))
    store_plan(
        seat.match_id, holder(seat), text, source=Move.Source.WEB, request_id=crowd.key(), now=crowd.now
    )


def consent(crowd: Crowd) -> None:
    """Somebody at a table with an open question agrees."""
    undos = Undo.objects.filter(outcome=Undo.Outcome.OPEN).values("match")
    holidays = Holiday.objects.filter(outcome=Holiday.Outcome.OPEN).values("match")
    match = crowd.any_of(Match.objects.filter(pk__in=undos.union(holidays)))
    agree(match.pk, holder(crowd.seat(match=match)), now=crowd.now)


def ask_a_sitter(crowd: Crowd) -> None:
    seat = crowd.seat()
    propose_sitting(
        seat.match_id, holder(seat), crowd.user(seat.user).username, *days(crowd, holder(seat)), now=crowd.now
    )


def sit(crowd: Crowd) -> None:
    sitting = crowd.any_of(sitters.current(crowd.now).filter(agreed_at=None, ended_at=None))
    agree_to_sit(sitting.pk, sitting.sitter, now=crowd.now)


def take_the_seat_back(crowd: Crowd) -> None:
    sitting = crowd.any_of(sitters.current(crowd.now).filter(ended_at=None))
    end_sitting(sitting.pk, sitting.player, now=crowd.now)


def give_up(crowd: Crowd) -> None:
    seat = crowd.seat()
    resign(seat.match_id, holder(seat), source=Move.Source.WEB, request_id=crowd.key(), now=crowd.now)


def void(crowd: Crowd) -> None:
    match = crowd.seat().match
    void_moves(match.pk, from_ply=crowd.chance.randint(1, max(1, match.ply)), why=WHY, now=crowd.now)


def give_the_seat_to_another(crowd: Crowd) -> None:
    seat = crowd.seat()
    to = crowd.user() if crowd.chance.random() < 0.5 else None
    reassign_seat(seat.match_id, seat.index, to, WHY, is_open=to is None, now=crowd.now)


def take_a_free_seat(crowd: Crowd) -> None:
    seat = crowd.seat(user__isnull=True, is_open=True)
    take_seat(seat.match_id, seat.index, crowd.user(), now=crowd.now)


def shut_or_open_an_account(crowd: Crowd) -> None:
    user = crowd.user()
    if ban := bans.ban_of(user):
        reopen_account(ban, now=crowd.now)
    else:
        shut_account(user, WHY, now=crowd.now)


def begin_an_event(crowd: Crowd) -> None:
    """Six people enter at once; it may be of a club."""
    host = crowd.user()
    member = host.memberships.filter(role=Member.Role.OWNER, club__closed_at=None).first()
    form = crowd.chance.choice(list(Event.Format))
    terms = EventTerms(
        slug=crowd.key(),
        name=crowd.key(),
        game="florentine",
        seats=2,
        format=form,
        starts_at=crowd.now + timedelta(hours=30),
        exchanged=1 if form == Event.Format.LEAGUE else 0,
        rounds=3 if form == Event.Format.SWISS else 1,
        entry_days=1,
        club=member.club if member and crowd.chance.random() < 0.3 else None,
    )
    event = open_event(host, terms, now=crowd.now)
    for user in crowd.chance.sample(crowd.users, 6):
        enter(event.pk, user, now=crowd.now)


def start_a_season(crowd: Crowd) -> None:
    season = crowd.any_of(Season.objects.filter(state=Season.State.ENTERING))
    start_season(season.pk, by=crowd.moderator, now=crowd.now)


def end_a_season(crowd: Crowd) -> None:
    """All that runs is decided, and an organiser closes it."""
    season = crowd.any_of(Season.objects.filter(state=Season.State.RUNNING))
    for fixture in Fixture.objects.filter(division__season=season, adjudicated_at=None):
        places = fixture.places.count()
        adjudicate_fixture(fixture.pk, range(1, places + 1), by=crowd.moderator, reason=WHY, now=crowd.now)
    close_season(season.pk, by=crowd.moderator, now=crowd.now)


def leave_a_season(crowd: Crowd) -> None:
    entry = crowd.any_of(Entry.objects.filter(player__isnull=False, season__event__closed_at=None))
    assert entry.player
    withdraw(entry.season.event_id, entry.player, now=crowd.now)


def ask_a_newcomer(crowd: Crowd) -> None:
    entry = crowd.any_of(Entry.objects.filter(season__state=Season.State.RUNNING, division__isnull=False))
    propose_replacement(entry.pk, crowd.user(), by=crowd.moderator, reason=WHY, now=crowd.now)


def go_on_for_another(crowd: Crowd) -> None:
    question = crowd.any_of(Replacement.objects.filter(outcome=Replacement.Outcome.OPEN))
    enter(question.season.event_id, question.newcomer, now=crowd.now)


def found_a_club(crowd: Crowd) -> None:
    club = open_club(crowd.user(), name=crowd.key(), is_private=crowd.chance.random() < 0.5, now=crowd.now)
    owner = club.members.get().user
    for user in crowd.chance.sample(crowd.users, 3):
        invite_member(club.pk, owner, user.username, now=crowd.now)


def enter_a_club(crowd: Crowd) -> None:
    asked = crowd.any_of(Candidate.objects.filter(kind=Candidate.Kind.INVITED))
    join_club(asked.club_id, asked.user, now=crowd.now)


def go_from_a_club(crowd: Crowd) -> None:
    member = crowd.any_of(Member.objects.all())
    leave_club(member.club_id, member.user, heir=crowd.user().username, now=crowd.now)


def throw_out_of_a_club(crowd: Crowd) -> None:
    owner = crowd.any_of(Member.objects.filter(role=Member.Role.OWNER))
    remove_member(owner.club_id, owner.user, crowd.user(owner.user).username, now=crowd.now)


def close_a_club(crowd: Crowd) -> None:
    owner = crowd.any_of(Member.objects.filter(role=Member.Role.OWNER, club__closed_at=None))
    close_club(owner.club_id, owner.user, now=crowd.now)


def close_an_event(crowd: Crowd) -> None:
    event = crowd.any_of(Event.objects.filter(closed_at=None))
    close_event(event.pk, by=crowd.moderator, reason=WHY, now=crowd.now)


def invite_to_a_table(crowd: Crowd) -> None:
    seat = crowd.seat(match__status=Match.Status.OPEN)
    invite(seat.match_id, holder(seat), crowd.user(seat.user).username, now=crowd.now)


def answer_an_invitation(crowd: Crowd) -> None:
    """Whatever has become of it."""
    invitation = crowd.any_of(Invitation.objects.filter(user__isnull=False))
    assert invitation.user
    if crowd.chance.random() < 0.7:
        accept_invitation(invitation.pk, invitation.user, now=crowd.now)
    else:
        decline_invitation(invitation.pk, now=crowd.now)


def take_an_invitation_back(crowd: Crowd) -> None:
    invitation = crowd.any_of(Invitation.objects.filter(invited_by__isnull=False))
    assert invitation.invited_by
    withdraw_invitation(invitation.pk, invitation.invited_by, now=crowd.now)


def make_a_club_private(crowd: Crowd) -> None:
    club = crowd.any_of(Club.objects.filter(closed_at=None))
    owner = club.members.filter(role=Member.Role.OWNER).first()
    if owner is None:
        raise Nothing
    terms = {"name": club.name, "about": WHY, "is_private": True, "is_asked_first": True}
    change_club(club.pk, owner.user, **terms, now=crowd.now)  # type: ignore[arg-type]


def write_a_mail(crowd: Crowd) -> None:
    """To the address of a seat or of the account: a command, a yes, or a move."""
    user, seat = crowd.user(), crowd.seat(is_waiting=True)
    words = ["yes", "undo", "resign", "return", "agree", "status", "snooze 3h", crowd.text_for(seat)]
    write(user, crowd.chance.choice(words), to=seat.reply_address if seat.user == user else None)


def holder(seat: Seat) -> User:
    assert seat.user
    return seat.user


def days(crowd: Crowd, user: User) -> tuple[date, date]:
    first = crowd.now.astimezone(user.zone).date() + timedelta(days=crowd.chance.randint(0, 3))
    return first, first + timedelta(days=crowd.chance.randint(0, 4))


def of_match(act: Callable[[Crowd, Seat], object], **given: object) -> Callable[[Crowd], object]:
    """An act on a seat that somebody holds."""
    return lambda crowd: act(crowd, crowd.seat(**given))


OFTEN: Mapping[str, Callable[[Crowd], object]] = {
    "opens a table": open_a_table,
    "plays": play_on,
    "agrees": consent,
    "asks for an undo": of_match(
        lambda crowd, seat: propose_undo(seat.match_id, holder(seat), now=crowd.now)
    ),
    "asks for a sitter": ask_a_sitter,
    "sits": sit,
    "is replaced": give_the_seat_to_another,
    "takes a free seat": take_a_free_seat,
    "writes a mail": write_a_mail,
    "begins an event": begin_an_event,
}
SELDOM: Mapping[str, Callable[[Crowd], object]] = {
    "plans": plan,
    "asks for days off": of_match(
        lambda crowd, seat: propose_holiday(
            seat.match_id, holder(seat), *days(crowd, holder(seat)), now=crowd.now
        )
    ),
    "takes the seat back": take_the_seat_back,
    "resigns": give_up,
    "has moves taken back": void,
    "pauses a match": of_match(lambda crowd, seat: pause_match(seat.match_id, WHY, now=crowd.now)),
    "lets a match go on": lambda crowd: resume_match(
        crowd.any_of(Stop.objects.filter(end=None, match__isnull=False)).match_id or 0, WHY, now=crowd.now
    ),
    "gives more time": of_match(
        lambda crowd, seat: extend_clock(seat.match_id, seat.index, 5, WHY, now=crowd.now)
    ),
    "ends a match": of_match(lambda crowd, seat: adjudicate(seat.match_id, (), WHY, now=crowd.now)),
    "takes a result out": of_match(
        lambda crowd, seat: void_result(seat.match_id, WHY, now=crowd.now), match__status="finished"
    ),
    "comes back": of_match(
        lambda crowd, seat: come_back(seat.match_id, holder(seat), now=crowd.now), is_away=True
    ),
    "leaves a table": of_match(
        lambda crowd, seat: leave_table(seat.match_id, holder(seat), now=crowd.now), match__status="open"
    ),
    "joins a table": lambda crowd: join_table(
        crowd.any_of(Match.objects.filter(status=Match.Status.OPEN)).pk, crowd.user(), now=crowd.now
    ),
    "plays again": of_match(
        lambda crowd, seat: open_rematch(seat.match_id, holder(seat), now=crowd.now), match__status="finished"
    ),
    "talks": of_match(
        lambda crowd, seat: say(seat.match_id, holder(seat), "Hello!", crowd.key(), now=crowd.now)
    ),
    "goes on vacation": lambda crowd: announce_vacation(
        user := crowd.user(), *days(crowd, user), now=crowd.now
    ),
    "snoozes": lambda crowd: snooze(crowd.user(), timedelta(hours=5), now=crowd.now),
    "wants other mail": lambda crowd: set_mail_mode(
        crowd.user(), crowd.chance.choice(list(User.MailMode)), now=crowd.now
    ),
    "takes another name": lambda crowd: rename(crowd.user(), crowd.key()),
    "blocks somebody": lambda crowd: block_player(crowd.user(), crowd.user().username, now=crowd.now),
    "is shut or opened": shut_or_open_an_account,
    "erases the account": lambda crowd: crowd.erase(crowd.user()),
    "starts a season": start_a_season,
    "ends a season": end_a_season,
    "leaves a season": leave_a_season,
    "asks a newcomer": ask_a_newcomer,
    "goes on for another": go_on_for_another,
    "founds a club": found_a_club,
    "enters a club": enter_a_club,
    "goes from a club": go_from_a_club,
    "makes a club private": make_a_club_private,
    "is thrown out of a club": throw_out_of_a_club,
    "closes a club": close_a_club,
    "closes an event": close_an_event,
    "invites to a table": invite_to_a_table,
    "answers an invitation": answer_an_invitation,
    "takes an invitation back": take_an_invitation_back,
}


@pytest.mark.parametrize("seed", [1, 2])
def test_all_is_right_whatever_people_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Crowd(1000 * int(os.environ.get("SEED") or 0) + seed)
    monkeypatch.setattr(clock, "now", lambda: crowd.now)
    monkeypatch.setattr(board, "png", lambda *_, **__: b"")
    acts = [*OFTEN.items(), *OFTEN.items(), *SELDOM.items()]
    for number in range(1, ACTS + 1):
        crowd.do(*crowd.chance.choice(acts))
        if number % LOOKS == 0:
            crowd.look_at_everything()
    assert crowd.problems == []
    assert Match.objects.filter(status=Match.Status.FINISHED).count() > 5
    assert crowd.refused < ACTS // 2
