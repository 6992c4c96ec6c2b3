"""A club with a unique secret in every place where a running match stores one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.models import Session

from gemserver.accounts.models import Ban, Mute, UnreachableAddress, User
from gemserver.events.models import Event
from gemserver.inbox import tickets
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.clubs.open_club import open_club
from gemserver.matches.actions.clubs.post_news import post_news
from gemserver.matches.actions.clubs.report_club import report_club
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.talk.report_abuse import report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.talk.write_note import write_note
from gemserver.matches.models import Invitation, Match, Move, SealedOrder, Seat, Sitting, StoredPlan
from gemserver.notify import account_mail, delivery
from gemserver.notify.bounces import TrustedReport, note
from gemserver.notify.channels import Destination, seal_destination, signing_secret
from gemserver.notify.models import Channel, DeliveryEvent, OutboxMessage
from tests.builders import make_match, make_table, make_user, play
from tests.events.leagues import make_event, season_of
from tests.mailgate.letters import letter, receive, receive_at
from tests.site.pages import signed_in

Secrets = dict[str, str]


@dataclass
class Club:
    """Two running matches, one with sealed orders and one with sealed picks, full of private things."""

    players: list[User]
    moderator: User
    """A moderator who plays in both matches."""
    matches: list[Match]
    secrets: Secrets = field(default_factory=dict)
    """Secrets by name, which the moderators' pages show to nobody while the matches run."""
    own_table: Secrets = field(default_factory=dict)
    """Texts that moderators may read there about other people's tables, but not about their own."""


def make_club() -> Club:
    """Make the club, in the middle of its matches."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    moderator = make_user("mod")
    seated, now = [*players, moderator], clock.now()
    matches = [
        make_match("gem", seated, options={"pace": "sealed"}, server_part="c1" * 32, now=now),
        make_match("gemessengers", seated, server_part="d2" * 32, now=now),
    ]
    club = Club(players, moderator, matches)
    _plant_mails(club)
    _plant_orders(club)
    _plant_words(club)
    _plant_other_rows(club)
    _plant_texts(club)
    _plant_tokens(club)
    for match in Match.objects.filter(status=Match.Status.RUNNING):
        club.secrets |= {
            f"position of {match.code}": match.position,
            f"server part of {match.code}": match.server_part,
            f"seed of {match.code}": replay.seed(match),
        }
    return club


def _asked(match: Match, *users: User) -> Seat:
    seats = match.seats.select_related("user", "match").filter(is_waiting=True, user__in=users)
    return seats.order_by("index")[0]


def _plant_mails(club: Club) -> None:
    """Plant an answer by mail, a held one, one to an account, and the texts of mails that went out."""
    auction = club.matches[0]
    seat = _asked(auction, *club.players)
    assert seat.user
    delivery.send_queued()
    taken = receive(seat, letter(seat, "bid 1\nwordmark of ana", Subject="subjectmark"), dmarc="pass")
    private = receive(seat, letter(seat, "note mailnotemark"), dmarc="pass")
    strange = letter(seat, "bid 2\nheldmark", sender="work@example.net", Subject="heldsubjectmark")
    held = receive(seat, strange)
    address = settings.ACCOUNT_REPLY.format(token=seat.user.token)
    raw = letter(seat, f"{auction.code}: bid 0 digestmark", Subject="accountmark", To=address)
    account = receive_at(address, raw, sender=seat.user.email, at=clock.now())
    assert [row.state for row in (taken, private, held)] == ["done", "done", "held"]
    assert account.user == seat.user
    delivery.send_queued()
    assert OutboxMessage.objects.exclude(rendered=None).update(
        rendered=b"renderedmark", sent_words=b"sentmark"
    )
    account_mail.queue(
        "codesubjectmark", "codetextmark 314159", "314159", to=seat.user.email, now=clock.now()
    )
    marks = ("wordmark", "subjectmark", "mailnotemark", "heldmark", "heldsubjectmark", "digestmark")
    more = ("accountmark", "renderedmark", "sentmark", "codesubjectmark", "codetextmark", "314159")
    club.secrets |= {mark: mark for mark in (*marks, *more)}


def _plant_orders(club: Club) -> None:
    """Plant a sealed order, a plan, and a pick that lies face down."""
    auction, picks = club.matches
    assert SealedOrder.objects.filter(match=auction).update(
        lines=[["linemark"]], text="sealedmark", salt="saltmark"
    )
    planner = _asked(auction, *club.players)
    StoredPlan.objects.create(
        match=auction,
        seat=planner.index,
        user=planner.user,
        lines=[["planmark"]],
        is_always=True,
        source=Move.Source.WEB,
        stored_at=clock.now(),
    )
    picker = _asked(picks, *club.players)
    pick = next(iter(picks.rules.legal_moves(replay.position(picks), picker.index)))
    play(picks, picker.index, picks.rules.write(pick), now=clock.now())
    data = {"text": "eventmark", "changed": False}
    event = {"kind": "pick", "seat": picker.index, "data": data, "audience": [picker.index]}
    assert Move.objects.filter(match=picks, is_sealed=True).update(text="pickmark", events=[event])
    assert SealedOrder.objects.filter(match=picks).update(
        lines=[["picklinemark"]], text="picktextmark", salt="picksaltmark"
    )
    marks = ("linemark", "sealedmark", "saltmark", "planmark", "eventmark", "pickmark")
    club.secrets |= {mark: mark for mark in (*marks, "picklinemark", "picktextmark", "picksaltmark")}


def _plant_words(club: Club) -> None:
    """Plant a note, a message to the table, and a report."""
    auction, now = club.matches[0], clock.now()
    ana, ben, cy = club.players
    write_note(auction.pk, cy, "notemark", now=now)
    message = say(auction.pk, ana, "talkmark", "say", now=now)
    report_abuse(auction.pk, ben, "reportmark", now=now, message_id=message.pk)
    club.secrets["notemark"] = "notemark"
    club.own_table |= {"talkmark": "talkmark", "reportmark": "reportmark"}


def _plant_other_rows(club: Club) -> None:
    """Plant rows for all other lists of the site, so that every list has something to show."""
    now = clock.now()
    turn = OutboxMessage.objects.filter(kind="turn")[0]
    note(TrustedReport(DeliveryEvent.Kind.DELIVERED, turn.to, now, "Postmark", "k", message=turn), now=now)
    UnreachableAddress.objects.create(address="gone@example.net", why="bounced", since=now)
    UnreachableAddress.objects.create(address="full@example.net", why="bounced", since=now)
    Ban.objects.create(address="rude@example.net", note="Insults.", since=now)
    Mute.objects.create(user=club.players[0], note="Shouting.", since=now, until=now, lifted_at=now)
    OutboxMessage.objects.filter(pk=turn.pk).update(state="failed")


def _plant_texts(club: Club) -> None:
    """Plant an event whose season has secrets, and a private club of which nobody has reported anything."""
    ana, ben, cy = club.players
    event = make_event(ana, about="What everybody reads.")
    den = open_club(ben, name="denmark", about="denaboutmark", is_private=True, now=clock.now())
    post_news(den.pk, ben, "dennewsmark", now=clock.now())
    make_event(cy, slug="dencup", name="dencupmark", about="dencupaboutmark")
    Event.objects.filter(slug="dencup").update(club=den)
    marks = ("denmark", "denaboutmark", "dennewsmark", "dencupmark", "dencupaboutmark")
    club.secrets |= {mark: mark for mark in marks} | {"season": season_of(event).secret}
    listed = open_club(cy, name="Lake", about="What everybody reads.", now=clock.now())
    report_club(listed.pk, ana, "what the club says", now=clock.now())


def _plant_tokens(club: Club) -> None:
    """Plant every token with which one could act or read as somebody else, and codes, passwords and sessions."""
    auction, now = club.matches[0], clock.now()
    ana, ben, cy = club.players
    dee = make_user("dee")
    sitting = propose_sitting(auction.pk, cy, "dee", now.date(), now.date() + timedelta(days=3), now=now)
    agree_to_sit(sitting.pk, dee, now=now)
    table = make_table(seats=3, now=now)
    join_table(table.pk, ana, now=now)
    invite(table.pk, ana, "eve@example.net", now=now)
    for number, kind in enumerate(Channel.Kind):
        place = Destination(
            f"https://push{number}mark.example.net/pathmark",
            room="roommark",
            token="accessmark",
            auth="authmark",
        )
        Channel.objects.create(
            user=ana, kind=kind, name=f"channelmark {number}", address=seal_destination(place), created_at=now
        )
    channels = Channel.objects.all()
    club.secrets |= {
        mark: mark for mark in ("mark.example.net", "pathmark", "roommark", "accessmark", "authmark")
    }
    club.secrets |= {f"secret of channel {row.pk}": signing_secret(row) for row in channels}
    club.secrets |= {f"address of channel {row.pk}": row.address for row in channels}
    club.secrets["channelmark"] = "channelmark"
    code = tickets.issue(Ticket.Purpose.RESIGN, ben.email, now=now, user=ben)
    for user in (*club.players, dee):
        signed_in(user).get("/")
    rows = {
        "seat": Seat.objects.exclude(user=None),
        "account": User.objects.all(),
        "sitting": Sitting.objects.all(),
        "invitation": Invitation.objects.all(),
    }
    for name, found in rows.items():
        club.secrets |= {f"token of {name} {row.pk}": row.token for row in found}
    for user in User.objects.all():
        club.secrets |= {f"feed {user.pk}": user.feed_token, f"password {user.pk}": user.password}
    club.secrets |= {f"session {number}": row.session_key for number, row in enumerate(Session.objects.all())}
    club.secrets |= {
        "link of the table": table.link_token,
        "part of the table": table.server_part,
        "code": code,
    }
    club.secrets |= {f"mail {row.pk}": row.key for row in InboundEmail.objects.all()}
