"""Scenes in which the server sends mails of every kind, for whoever looks at them or measures them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import time, timedelta
from email import message_from_bytes, policy
from unittest.mock import patch

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.test import Client
from django.test.utils import override_settings
from django.utils import translation
from django.utils.timesince import timeuntil

from games.registry import GAMES, game
from gemserver.accounts import bans, mutes
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.roles import Role
from gemserver.clocks.control import PRESETS, TimeControl
from gemserver.lib import clock
from gemserver.matches.actions.clubs.open_club import open_club
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.people.try_address_again import lock_tables, tell_cut_off
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.actions.play.restore_moves import restore_moves
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.seats.ask_sitter import (
    agree_to_sit,
    end_sitting,
    propose_sitting,
    refuse_to_sit,
)
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.actions.tables.change_terms import change_terms
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import cancel_table
from gemserver.matches.actions.tables.open_fixture import open_fixture
from gemserver.matches.actions.tables.remove_player import remove_player_called
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.actions.talk.report_abuse import close_report, report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.actions.time.take_vacation import announce_vacation
from gemserver.matches.models import Match
from gemserver.moderation.mails import tell_banned, tell_cleared, tell_muted, tell_reopened
from gemserver.notify import delivery
from gemserver.notify.models import Channel, OutboxMessage
from gemserver.puzzles.models import Subscription
from gemserver.puzzles.sources import read_brought
from gemserver.puzzles.subscribing import send_due, subscribe
from gemserver.site.account.entrance import SIGNED_IN_AT
from gemserver.study import reviews
from gemserver.study.hints import think_of_all
from tests.builders import is_asked, make_match, play_to_the_end, play_until
from tests.clubs.people import make_club, open_for
from tests.notify import organisers
from tests.notify.stage import DAY, DEAL, TALK, Stage, asked_of
from tests.puzzles.puzzles import pose, wrong_move
from tests.site.device import Device
from tests.site.lessons import right_move, taught
from tests.study.practice import practise

LOBBY = "play@gem.localhost"

Scene = Callable[[Stage], None]


def _turn(slug: str, plies: int) -> Scene:
    def play(stage: Stage) -> None:
        stage.match(slug, plies, count=min(4, game(slug).rules.meta.max_seats))

    return play


def _sealed(stage: Stage) -> None:
    match = stage.match(options={"pace": "sealed"}, plies=0)
    stage.answer(asked_of(match), "bid 3")
    stage.answer(asked_of(match), "bid 99")
    stage.wait(4 * DAY)


def _time_runs_out(absence: Match.Absence) -> Scene:
    def play(stage: Stage) -> None:
        stage.match(absence=absence, time_control=TimeControl.per_move(2 * DAY))
        for _ in range(14 if absence == Match.Absence.REPLACE else 3):
            stage.wait(timedelta(hours=46))
            stage.wait(timedelta(hours=3))

    return play


def _moves_are_put_back(stage: Stage) -> None:
    match = stage.match()
    void_moves(match.pk, from_ply=match.ply, why="ana has written at the wrong table", now=stage.now)
    stage.wait(timedelta(hours=1))
    restore_moves(match.pk, why="it was the right one after all", now=stage.now)


def _bank_is_empty(stage: Stage) -> None:
    for play_until_day in (40, 11):
        open_fixture(
            game="gembatan",
            players=[
                stage.player(f"ana{play_until_day}"),
                stage.player(f"ben{play_until_day}", f"Bartholomaeus Max {play_until_day}"),
            ],
            options={},
            bank=5 * DAY,
            play_until=stage.now + play_until_day * DAY,
            is_rated=False,
            club=None,
            now=stage.now,
        )
    for _ in range(4):
        stage.wait(3 * DAY)


def _finished(stage: Stage) -> None:
    for slug in ("jewellers", "florentine"):
        users = [
            stage.player(f"{name}{slug}") for name in ("ana", "ben", "cy")[: 3 if slug == "jewellers" else 2]
        ]
        play_to_the_end(make_match(slug, users, server_part=DEAL, now=stage.now), now=stage.now)


def _asks_for_consent(stage: Stage) -> None:
    players = stage.players()
    match = make_match("gem", players, server_part=DEAL, now=stage.now)
    match = play_until(match, lambda reached: reached.ply >= 5, now=stage.now)
    last = match.moves.order_by("-ply").first()
    assert last is not None
    holder = match.seats.select_related("user").get(index=last.seat)
    assert holder.user is not None
    propose_undo(match.pk, holder.user, now=stage.now)
    propose_holiday(
        match.pk, players[1], stage.now.date() + 2 * DAY, stage.now.date() + 5 * DAY, now=stage.now
    )


def _digest(stage: Stage) -> None:
    reader = stage.player()
    others = [stage.player("ben", "Bartholomaeus Maximilian"), stage.player("cy", "שרה")]
    set_mail_mode(reader, User.MailMode.DIGEST, now=stage.now, digest_at=time(8))
    stage.now += timedelta(minutes=1)
    for slug in GAMES:
        seats = [reader, *others[: max(1, game(slug).rules.meta.max_seats - 1)]][
            : game(slug).rules.meta.max_seats
        ]
        waits = is_asked(reader)
        match = make_match(slug, seats, server_part=DEAL, now=stage.now)
        play_until(match, lambda reached: reached.ply >= 12 and waits(reached), now=stage.now)  # noqa: B023
    say(match.pk, others[0], TALK, "k", now=stage.now)
    over = play_to_the_end(
        make_match("gem", [reader, others[0]], server_part=DEAL, now=stage.now), now=stage.now
    )
    assert over.is_over
    stage.wait(DAY)


def _seats_change(stage: Stage) -> None:
    match = stage.match()
    dora = stage.player("dora")
    reassign_seat(match.pk, asked_of(match).index, dora, "Ana asked for it", now=stage.now)


def _mail_bounces(stage: Stage) -> None:
    match = stage.match()
    user = asked_of(match).user
    assert user is not None
    UnreachableAddress.objects.create(
        address=user.email, why=UnreachableAddress.Reason.BOUNCED, since=stage.now
    )
    with patch("gemserver.matches.mails.match_mails.is_cut_off", lambda _user: True):
        with transaction.atomic():
            tell_cut_off(lock_tables(user), user, 1, now=stage.now)
        delivery.send_queued()


def _sitters(stage: Stage) -> None:
    match = stage.match()
    player, other, _ = (seat.user for seat in match.read_seats())
    assert player is not None
    assert other is not None
    dora = stage.player("dora")
    today = stage.now.date()
    first = propose_sitting(match.pk, player, dora.username, today, today + 4 * DAY, now=stage.now)
    propose_sitting(match.pk, other, dora.username, today, today + 4 * DAY, now=stage.now)
    delivery.send_queued()
    agree_to_sit(first.pk, dora, now=stage.now)
    delivery.send_queued()
    end_sitting(first.pk, player, now=stage.now)
    delivery.send_queued()
    stage.now += timedelta(minutes=1)
    again = propose_sitting(match.pk, player, dora.username, today, today + 4 * DAY, now=stage.now)
    refuse_to_sit(again.pk, dora, now=stage.now)


def _invitations(stage: Stage) -> None:
    ana, dora = stage.player(), stage.player("dora")
    match = open_for(make_club("Lake", ana, is_private=False), ana, seats=3)
    Match.objects.filter(pk=match.pk).update(club=None)
    invite(match.pk, ana, dora.username, now=stage.now)
    with translation.override(stage.language):
        invite(match.pk, ana, "stranger@example.net", now=stage.now)
    delivery.send_queued()
    stage.write(dora.email, f"join {match.code}", LOBBY)
    delivery.send_queued()
    cancel_table(match.pk, by=None, now=stage.now)


def _host_decides(stage: Stage) -> None:
    ana, dora = stage.player(), stage.player("dora")
    match = open_for(make_club("Lake", ana, is_private=False), ana, seats=3)
    Match.objects.filter(pk=match.pk).update(club=None)
    join_table(match.pk, dora, now=stage.now)
    terms = Terms(game=match.game, seats=3, time_control=PRESETS["7d+1d"], starts_when_full=False)
    change_terms(match.pk, terms, by=ana, now=stage.now)
    delivery.send_queued()
    remove_player_called(match.pk, dora.username, by=ana, now=stage.now)
    delivery.send_queued()


def _talk(stage: Stage) -> None:
    match = stage.match()
    ana, ben, _ = (seat.user for seat in match.read_seats())
    assert ana is not None
    assert ben is not None
    said = say(match.pk, ben, TALK, "k", now=stage.now)
    stage.wait(timedelta(minutes=5))
    mod = stage.player("mod", role=Role.MODERATOR)
    report = report_abuse(match.pk, ana, "Ben is rude.\nPlease look.", now=stage.now, message_id=said.pk)
    delivery.send_queued()
    close_report(report.pk, mod, "We have talked to Ben. Thank you.", now=stage.now)


def _studies(stage: Stage) -> None:
    ana = stage.player()
    match = practise(ana, "gem")
    stage.answer(asked_of(match), "hint")
    think_of_all()
    other = play_to_the_end(
        make_match("jewellers", [stage.player("ben"), stage.player("cy")], server_part=DEAL, now=stage.now),
        now=stage.now,
    )
    stage.answer(other.read_seats()[0], "review")
    with (
        patch("games.analysis.EXPECTING", 8),
        patch("games.analysis.REVIEW_SIMULATIONS", 8),
    ):
        while reviews.go_on():
            pass


def _receipts(stage: Stage) -> None:
    match = stage.match()
    seat = asked_of(match)
    for body in (
        "bdi 99",
        "take the ruby please",
        "Hello,\nthis is a line that nobody can read\nstatus\nboard\nThanks, Ana",
        "say Good luck!\nlog",
        "rules",
        "help",
        "resign",
        "preview pass",
        "vacation 2026-04-01 2026-04-05\nquiet 22-07 Europe/Paris\nleads 24h 4h\nsnooze 3h",
        "notify\nplayer ben\nratings\ngames\ntokens\ntoken new phone",
    ):
        stage.answer(seat, body)
    stage.answer(asked_of(match), "pass")
    stage.write("other@example.net", "pass", seat.reply_address)


def _first_receipt(stage: Stage) -> None:
    match = stage.match()
    User.objects.update(receipts=User.Receipts.REFUSALS)
    stage.answer(asked_of(match), "pass")


def _account_commands(stage: Stage) -> None:
    ana = stage.player()
    for body in (
        "erase",
        "games",
        "help",
        "new gem seats 3 pace 2d bots=1",
        "jion gem",
        "I would like to play",
    ):
        stage.command(ana, body)


def _lesson(stage: Stage) -> None:
    ana = stage.player()
    for slug in GAMES:
        stage.command(ana, f"tutorial {slug}")
    with translation.override(stage.language):
        step = taught("gem").steps[0]
        move = right_move(step)
    stage.command(ana, "tutorial gem")
    delivery.send_queued()
    last = OutboxMessage.objects.latest("pk")
    for body in ("pass", move):
        stage.write(ana.email, body, f"me+{ana.token}@gem.localhost", "Re", ("In-Reply-To", last.message_id))


def _puzzles(stage: Stage) -> None:
    ana = stage.player()
    for number, slug in enumerate(slug for slug in GAMES if read_brought(slug)):
        stored = pose(slug, ago=-number, now=stage.now)
        if number == 0:
            first = stored
    Subscription.objects.filter(pk=subscribe(ana, now=stage.now).pk).update(next_at=stage.now)
    send_due(stage.now)
    delivery.send_queued()
    last = OutboxMessage.objects.latest("pk")
    for body in ("puzzle", "puzzle on", "puzzle off"):
        stage.command(ana, body)
    for body in ("take the big one, please", wrong_move(first)):
        stage.write(ana.email, body, f"me+{ana.token}@gem.localhost", "Re", ("In-Reply-To", last.message_id))


def _shut(stage: Stage) -> None:
    ana = stage.player()
    note = "Insults at three tables.\nWrite to appeal@club.example if you think otherwise."
    bot = open_bot(ana, "ana-bot", now=stage.now)
    club = open_club(ana, name="Lake", now=stage.now)
    for parts in (["name", "about", "news"], ["listing"]):
        tell_cleared(ana, f"club:{club.pk}", parts, note, request_key=f"{parts}", now=stage.now)
    delivery.send_queued()
    tell_muted(mutes.mute(ana, note, until=stage.now + DAY, now=stage.now), now=stage.now)
    delivery.send_queued()
    shut = [bans.ban_user(user, note, now=stage.now) for user in (ana, bot)]
    for ban in shut:
        tell_banned(ban, now=stage.now)
    delivery.send_queued()
    make_match(players=[ana, stage.player("ben")], now=stage.now)
    for ban in shut:
        bans.lift(ban, now=stage.now)
        tell_reopened(ban, now=stage.now)


def _strangers(stage: Stage) -> None:
    said = {
        "en": ("join gem", "I'd like to play"),
        "fr": ("rejoindre gem", "Je voudrais jouer"),
        "de": ("gem mitspielen", "Ich möchte mitspielen"),
    }[stage.language]
    with override_settings(MAIL_AUTH="normal"):
        for number, body in enumerate(said):
            stage.write(
                f"dora{number}@example{number}.net", body, LOBBY, "", ("Content-Language", stage.language)
            )


def _postmaster(stage: Stage) -> None:
    with override_settings(OPERATORS=["oda@admin.example"]), translation.override(stage.language):
        stage.write(
            "nora@isp.example", "Your server sends me mail I never asked for.", "postmaster@gem.localhost"
        )
        delivery.send_queued()


def _codes(stage: Stage) -> None:
    ana = stage.player()
    browser = Client(headers={"accept-language": stage.language, "host": "localhost"})
    for path, form in (
        ("/accounts/login/code/", {"email": ana.email}),
        ("/accounts/login/code/", {"email": "nobody@example.net"}),
        ("/accounts/password/reset/", {"email": ana.email}),
        ("/accounts/signup/", {"email": ana.email, "username": "anna"}),
        ("/accounts/signup/", {"email": "new@example.net", "username": "newcomer"}),
    ):
        browser.post(path, form)
    own = Client(headers={"accept-language": stage.language, "host": "localhost"})
    own.force_login(ana)
    own.post("/accounts/email/", {"email": "ana2@example.net", "action_add": ""})
    session = own.session
    session[SIGNED_IN_AT] = clock.now().timestamp()
    session.save()
    answer = Device(origin="http://localhost").make(own.post("/you/passkeys/new/").json())
    own.post("/you/passkeys/new/", {"name": "laptop", "credential": answer})
    own.post("/you/passkeys/remove/", {"passkey": Authenticator.objects.get(user=ana).pk})


def _vacation(stage: Stage) -> None:
    match = stage.match()
    away = asked_of(match).user
    assert away
    today = stage.now.astimezone(away.zone).date()
    announce_vacation(away, today, today + DAY, now=stage.now)
    stage.wait(DAY)
    delivery.send_queued()


def _cannot_be_read(stage: Stage) -> None:
    match = stage.match()
    seat = asked_of(match)
    delivery.send_queued()
    Match.objects.filter(pk=match.pk).update(position="damaged")
    stage.answer(seat, "pass\nthis is a line that nobody can read")
    stage.answer(seat, "status\nhelp")
    adjudicate(match.pk, [seat.index], "Its rules have failed.", now=stage.now)


def _dead_channel(stage: Stage) -> None:
    match = stage.match()
    Channel.objects.create(
        user=asked_of(match).user,
        kind=Channel.Kind.WEBHOOK,
        name="phone",
        is_told=False,
        off=Channel.Off.GONE,
        created_at=stage.now,
    )


SCENES: dict[str, Scene] = {
    **{f"first-turn-{slug}": _turn(slug, 0) for slug in GAMES},
    **{f"turn-{slug}": _turn(slug, 14) for slug in GAMES},
    "sealed": _sealed,
    "vacation": _vacation,
    "absent": _time_runs_out(Match.Absence.DEFAULT),
    "absent-bot": _time_runs_out(Match.Absence.BOT),
    "absent-replaced": _time_runs_out(Match.Absence.REPLACE),
    "bank": _bank_is_empty,
    "put-back": _moves_are_put_back,
    "finished": _finished,
    "consent": _asks_for_consent,
    "digest": _digest,
    "seats": _seats_change,
    "bounces": _mail_bounces,
    "sitters": _sitters,
    "invitations": _invitations,
    "host": _host_decides,
    "season": organisers.season,
    "season-off": organisers.season_off,
    "swiss": organisers.swiss,
    "talk": _talk,
    "clubs": organisers.clubs,
    "studies": _studies,
    "receipts": _receipts,
    "first-receipt": _first_receipt,
    "account": _account_commands,
    "lessons": _lesson,
    "puzzles": _puzzles,
    "shut": _shut,
    "strangers": _strangers,
    "postmaster": _postmaster,
    "codes": _codes,
    "dead-channel": _dead_channel,
    "cannot-be-read": _cannot_be_read,
}


_EACH = frozenset({"receipt", "sign-up", "account", "event-decision"})


def _key(row: OutboxMessage) -> object:
    """A key that mails of one kind share if they have the same news; the last of them is enough."""
    subject = str(message_from_bytes(bytes(row.rendered or b""), policy=policy.default)["Subject"])
    news = re.sub(r"M\d+|\d+", "", subject.partition(": ")[0])
    return row.pk if row.kind in _EACH else (row.kind, row.user is None, news)


@contextmanager
def played(name: str, language: str = "en") -> Iterator[Sequence[OutboxMessage]]:
    """All mails that a scene sends, in order. The caller undoes the scene."""
    stage = Stage(language)
    with (
        patch.object(clock, "now", lambda: stage.now),
        patch(
            "django.template.defaultfilters.timeuntil", lambda at, now=None: timeuntil(at, now or stage.now)
        ),
    ):
        SCENES[name](stage)
        stage.now += timedelta(minutes=3)
        delivery.send_queued()
        sent = OutboxMessage.objects.filter(state=OutboxMessage.State.SENT, rendered__isnull=False)
        keys = {row: _key(row) for row in sent.order_by("pk")}
        yield sorted({key: row for row, key in keys.items()}.values(), key=lambda row: row.pk)
