"""Subjects of actions: their keys in addresses, their names in the audit log, and the match or person concerned."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.admin.utils import quote, unquote
from django.http import Http404
from django.shortcuts import get_object_or_404

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import LONGEST_ADDRESS, User
from gemserver.inbox.models import InboundEmail
from gemserver.lib.mail_address import comparable
from gemserver.lib.redaction import redact
from gemserver.matches.models import ChatMessage, Match, Report, Seat
from gemserver.notify.models import OutboxMessage
from gemserver.study.models import WhatIf

MOST_DESCRIBED = 320
"""Characters of a subject's name that fit into the audit log."""


def _number(key: str) -> int:
    if not key.isdecimal() or len(key) > 18:
        raise Http404
    return int(key)


def _find_match(key: str) -> Match:
    return get_object_or_404(Match, code=key.upper())


def _find_seat(key: str) -> Seat:
    return get_object_or_404(Seat.objects.select_related("match", "user"), pk=_number(key))


def _find_message(key: str) -> ChatMessage:
    return get_object_or_404(ChatMessage.objects.select_related("match", "author"), pk=_number(key))


def _find_report(key: str) -> Report:
    return get_object_or_404(Report.objects.select_related("match", "reporter"), pk=_number(key))


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
    MESSAGE = _find_message, _pk, lambda message: message.author.shown_name if message.author else "", _match
    REPORT = _find_report, _pk, lambda report: report.reporter.shown_name if report.reporter else "", _match
    OUTGOING = (
        _find_outgoing,
        _pk,
        lambda message: redact(f"{message.kind} to {message.to}"),
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
    )
    # An account's claim that an address is its own.
    CLAIM = (
        _find_claim,
        _pk,
        lambda row: f"{row.email} of {row.user.username}",
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

    def describe(self, subject: Any) -> str:
        """The subject's name in the audit log, beside the code of the match."""
        return self._describe(subject)[:MOST_DESCRIBED]
