"""Incoming mail for moderators: sender, time and result; the text only once it gives nothing away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from email.parser import BytesHeaderParser
from types import MappingProxyType

from django.conf import settings
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import LONGEST_ADDRESS
from gemserver.inbox.models import InboundEmail
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.text.redaction import redact
from gemserver.mailgate.disclosure import may_read
from gemserver.mailgate.header import UnreadableMail, parse_header
from gemserver.matches import selectors
from gemserver.matches.mails.subjects import base_subject
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.lists.read_only import ReadOnlyAdmin, own_matches, reader_of
from gemserver.moderation.paths import action_links, timeline_path

HIDDEN = _("hidden: it may tell what others may not know yet")

SHOWN_HEADERS = (
    *("Date", "From", "To", "Cc", "Reply-To", "Message-ID", "In-Reply-To", "References"),
    *("Auto-Submitted", "Precedence", "Content-Type", "Authentication-Results"),
)
"""The only headers shown, because an invented header may contain a move."""

MOST_OF_A_HEADER = 4000


@admin.register(InboundEmail)
class InboundEmailAdmin(ReadOnlyAdmin):
    list_display = ("received_at", "sender", "match_code", "source", "state", "code", "copies")
    list_filter = ("state", "source", "code")
    # Not by subject: it may be a move, and searching would reveal it.
    search_fields = ("sender", "=message_id", "#seat__match", "@user")
    search_among = MappingProxyType({"sender": Q(state__in=["dropped", "held", "refused", "unreadable"])})
    list_select_related = ("seat__match",)
    ordering = ("-pk",)
    fields = (
        *("received_at", "source", "auth", "sender", "envelope_from", "recipient", "message_id"),
        *(
            "subject_if_public",
            "headers",
            "state",
            "code",
            "copies",
            "user",
            "seat",
            "attempts",
            "processed_at",
        ),
        *("lines_if_public", "text_if_public", "what_to_do"),
    )
    readonly_fields = (
        *("recipient", "subject_if_public", "headers", "lines_if_public", "text_if_public", "what_to_do"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[InboundEmail]:
        """Without mails of matches that the reader plays in, and mails of their tablemates that name no seat."""
        others = selectors.tablemates(reader_of(request))
        rows = super().get_queryset(request).exclude(seat__match__in=own_matches(request))
        return rows.exclude(seat=None, user__in=others)

    @admin.display(description=_("match"))
    def match_code(self, row: InboundEmail) -> str:
        return row.seat.match.code if row.seat else ""

    @admin.display(description=_("recipient"))
    def recipient(self, row: InboundEmail) -> str:
        return redact(row.envelope_to)

    @admin.display(description=_("subject"))
    def subject_if_public(self, row: InboundEmail) -> str:
        """The subject, or of one of ours the part that all mails of the match share; others are secret as the text."""
        if may_read(row):
            return redact(row.subject)
        own = base_subject(row.seat.match) if row.seat else ""
        return own if own and row.subject.endswith(own) else str(HIDDEN)

    @admin.display(description=_("headers"))
    def headers(self, row: InboundEmail) -> str:
        found = BytesHeaderParser().parsebytes(bytes(row.raw or b""))
        lines = [f"{name}: {value}" for name in SHOWN_HEADERS for value in found.get_all(name, ())]
        return redact("\n".join(line[:MOST_OF_A_HEADER] for line in lines))

    @admin.display(description=_("what was read"))
    def lines_if_public(self, row: InboundEmail) -> str:
        if not may_read(row):
            return str(HIDDEN)
        return redact(json.dumps(row.results, ensure_ascii=False, indent=1))

    @admin.display(description=_("the mail"))
    def text_if_public(self, row: InboundEmail) -> str:
        if not may_read(row):
            return str(HIDDEN)
        return redact(bytes(row.raw or b"").decode("utf-8", "replace"))

    @admin.display(description=_("what to do"))
    def what_to_do(self, row: InboundEmail) -> str:
        links = [action_links(Target.INCOMING, row), *_links_of_senders(row)]
        if row.seat:
            links.insert(
                0, format_html('<a href="{}">{}</a>', timeline_path(row.seat.match), row.seat.match.code)
            )
        return format_html_join(" · ", "{}", ((link,) for link in links if link))


def _links_of_senders(row: InboundEmail) -> list[str]:
    """Links to the actions on each address that the mail claims to come from, or a sentence if it names none."""
    named = [address for address in _named_senders(row) if len(address) <= LONGEST_ADDRESS]
    if not named:
        return [str(_("It names no sender's address that could be refused, not even on its envelope."))]
    if named == [row.sender]:
        return [action_links(Target.ADDRESS, row.sender)]
    return [format_html("{}: {}", address, action_links(Target.ADDRESS, address)) for address in named]


def _named_senders(row: InboundEmail) -> Sequence[str]:
    """The addresses that a mail says it comes from, as bans keep them: those in From, else the envelope's."""
    try:
        named = parse_header(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT).from_addresses
    except UnreadableMail:
        named = ()
    return named or [comparable(address) for address in (row.sender or row.envelope_from,) if address]
