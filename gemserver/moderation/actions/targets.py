"""Subjects of actions: their keys in addresses, their names in the audit log, and the match or person concerned."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.admin.utils import quote, unquote
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import LONGEST_ADDRESS, User
from gemserver.clubs.models import Club
from gemserver.events.actions import report_event
from gemserver.events.models import Event
from gemserver.inbox.models import InboundEmail
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.text.redaction import redact
from gemserver.lib.web.sent_number import read_number
from gemserver.matches import selectors
from gemserver.matches.actions.clubs import report_club
from gemserver.matches.models import ChatMessage, Match, Report, Seat
from gemserver.notify.models import OutboxMessage
from gemserver.study.models import WhatIf

MOST_DESCRIBED = 320
"""Characters of a subject's name that fit into the audit log."""


def _number(key: str) -> int:
    number = read_number(key)
    if number is None:
        raise Http404
    return number


def _find_match(key: str) -> Match:
    return get_object_or_404(Match, code=key.upper())


def _find_seat(key: str) -> Seat:
    return get_object_or_404(Seat.objects.select_related("match", "user"), pk=_number(key))


def _find_message(key: str) -> ChatMessage:
    return get_object_or_404(ChatMessage.objects.select_related("match", "author"), pk=_number(key))


def _find_report(key: str) -> Report:
    return get_object_or_404(Report.objects.select_related("match", "reporter"), pk=_number(key))


def _find_club(key: str) -> Club:
    return get_object_or_404(Club, pk=_number(key))


def _find_event(key: str) -> Event:
    return get_object_or_404(Event, pk=_number(key))


def shown_clubs() -> QuerySet[Club]:
    """The clubs that moderators may look at: listed ones, and private ones of which a member has reported a text."""
    return Club.objects.filter(Q(is_private=False) | Q(pk__in=_reported("club")))


def shown_events() -> QuerySet[Event]:
    """The events that moderators may look at, as with clubs (`shown_clubs`)."""
    is_public = Q(club=None) | Q(club__is_private=False)
    return Event.objects.filter(is_public | Q(pk__in=_reported("event")))


def _reported(kind: str) -> list[int]:
    texts = Report.objects.filter(match=None, about__startswith=f"{kind}:")
    reported = texts.values_list("about", flat=True).distinct()
    return [int(about.partition(":")[2]) for about in reported]


def find_text(report: Report) -> Club | Event | None:
    """The club or event whose text was reported, if it was one."""
    kind, _colon, key = report.about.partition(":")
    if kind == "club":
        return Club.objects.filter(pk=key).first()
    return Event.objects.filter(pk=key).first() if kind == "event" else None


def reports_for(moderator: User) -> QuerySet[Report]:
    """The reports that a moderator may read: none of a text for whose words they answer, either."""
    return selectors.reports_for(moderator).exclude(about__in=report_event.own_texts(moderator))


def _authors_of_report(report: Report) -> list[User]:
    text = find_text(report)
    if isinstance(text, Club):
        return report_club.authors_of(text)
    return report_event.authors_of(text) if text else _and_owner(report.reported)


def _and_owner(user: User | None) -> list[User]:
    """The account and, if it is a bot's, its person: those who answer for its words."""
    return [account for account in (user, user and user.owner) if account]


def _find_what_if(key: str) -> WhatIf:
    return get_object_or_404(WhatIf.objects.select_related("match", "user"), pk=_number(key))


def _find_outgoing(key: str) -> OutboxMessage:
    return get_object_or_404(OutboxMessage, pk=_number(key))


def _find_incoming(key: str) -> InboundEmail:
    return get_object_or_404(InboundEmail.objects.select_related("seat__match", "user"), pk=_number(key))


def _find_player(key: str) -> User:
    return get_object_or_404(User, username=key)


def _find_claim(key: str) -> EmailAddress:
    return get_object_or_404(EmailAddress.objects.select_related("user"), pk=_number(key))


def _find_address(key: str) -> str:
    address = comparable(unquote(key))
    if not address or len(address) > LONGEST_ADDRESS:
        raise Http404
    return address


def _match_of_mail(message: OutboxMessage) -> Match | None:
    """The match that the mail's thread belongs to, whether it is about a move, a receipt or an invitation."""
    kind, _colon, key = message.thread.partition(":")
    return Match.objects.filter(pk=key).first() if kind == "match" else None


def _nobody(subject: Any) -> None:
    return None


def _match(of: Any) -> Match:
    match: Match = of.match
    return match


def _pk(subject: Any) -> str:
    return str(subject.pk)


class Target(Enum):
    """A kind of subject, with the functions that find and describe one."""

    MATCH = _find_match, lambda match: match.code, lambda match: "", lambda match: match
    SEAT = _find_seat, _pk, lambda seat: f"{seat.letter} {seat.name}", _match
    MESSAGE = (
        _find_message,
        _pk,
        lambda message: message.author.shown_name if message.author else "",
        _match,
        _nobody,
        lambda message: _and_owner(message.author),
    )
    REPORT = (
        _find_report,
        _pk,
        lambda report: report.reporter.shown_name if report.reporter else "",
        lambda report: report.match,
        _nobody,
        _authors_of_report,
    )
    # Without its name, which may have to go; the audit log stays.
    CLUB = (
        _find_club,
        _pk,
        lambda club: f"club {club.pk}",
        _nobody,
        lambda club: next(iter(report_club.authors_of(club)), None),
        report_club.authors_of,
    )
    EVENT = (
        _find_event,
        _pk,
        lambda event: f"event {event.pk}",
        _nobody,
        lambda event: next(iter(report_event.authors_of(event)), None),
        report_event.authors_of,
    )
    OUTGOING = (
        _find_outgoing,
        _pk,
        lambda message: redact(f"{message.kind} → {message.to}"),
        _match_of_mail,
    )
    # A mail to an account may answer for any match.
    INCOMING = (
        _find_incoming,
        _pk,
        lambda row: redact(row.sender),
        lambda row: row.seat.match if row.seat else None,
        lambda row: None if row.seat else row.user,
    )
    PLAYER = (
        _find_player,
        lambda user: user.username,
        lambda user: user.shown_name,
        _nobody,
        lambda user: user,
    )
    ADDRESS = _find_address, quote, str, _nobody, owner_of
    # It is about a match that is over, and whose table never sees it.
    WHAT_IF = (
        _find_what_if,
        _pk,
        lambda what_if: f"{what_if.match.code} {what_if.user.shown_name}",
        _nobody,
        lambda what_if: what_if.user,
        lambda what_if: _and_owner(what_if.user),
    )
    # An account's claim that an address is its own.
    CLAIM = (
        _find_claim,
        _pk,
        lambda row: f"{row.email} ({row.user.username})",
        _nobody,
        lambda row: row.user,
    )

    def __init__(
        self,
        find: Callable[[str], Any],
        key_of: Callable[[Any], str],
        describe: Callable[[Any], str],
        match_of: Callable[[Any], Match | None],
        person_of: Callable[[Any], User | None] = _nobody,
        authors_of: Callable[[Any], list[User]] = lambda subject: [],
    ) -> None:
        self.find = find
        """Find the subject by its key, the last part of an action's address; raises Http404."""
        self.key_of = key_of
        """The key of a subject."""
        self._describe = describe
        self.match_of = match_of
        """The match concerned, if any; moderators who take part in it may not act."""
        self.person_of = person_of
        """The person concerned, if any; moderators who play with them at present may not act."""

        self.authors_of = authors_of
        """Those who answer for the words, or whom a report is about; moderators among them may not act."""

    def describe(self, subject: Any) -> str:
        """The subject's name in the audit log, beside the code of the match."""
        return self._describe(subject)[:MOST_DESCRIBED]
