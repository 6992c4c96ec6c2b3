"""Lists for those who look after the club: outgoing mail, talk, reports, bans, and what moderators have done."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import Ban, UnreachableAddress, User
from gemserver.lib.admin import ReadOnlyAdmin
from gemserver.matches import selectors
from gemserver.matches.models import Match, Message, Report
from gemserver.moderation.models import AuditEntry
from gemserver.moderation.paths import ledger_path, measure_links
from gemserver.notify.models import DeliveryEvent, OutboxMessage


def own_matches(request: HttpRequest) -> QuerySet[Match]:
    """The running matches in which the reader has a part; nothing of them is shown here."""
    assert isinstance(request.user, User), "nobody else gets here"
    return selectors.own_matches(request.user)


@admin.register(OutboxMessage)
class OutboxAdmin(ReadOnlyAdmin):
    """Who was told what kind of thing and when; never the text, which holds what only its reader may know."""

    list_display = ("created_at", "kind", "to", "thread", "state", "attempts", "sent_at")
    list_filter = ("state", "kind")
    search_fields = ("to", "thread", "message_id")
    ordering = ("-pk",)
    fields = (
        *("kind", "to", "user", "thread", "message_id", "in_reply_to", "provider_id"),
        *("state", "created_at", "available_at", "attempts", "last_error", "sent_at", "what_to_do"),
    )
    readonly_fields = ("what_to_do",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[OutboxMessage]:
        threads = [match.thread for match in own_matches(request)]
        return super().get_queryset(request).exclude(thread__in=threads)

    @admin.display(description=_("what to do"))
    def what_to_do(self, message: OutboxMessage) -> str:
        return measure_links("outgoing", message.pk, message)


@admin.register(DeliveryEvent)
class DeliveryEventAdmin(ReadOnlyAdmin):
    """What providers and other servers reported about mails."""

    list_display = ("at", "address", "kind", "source", "detail")
    list_filter = ("kind", "source")
    search_fields = ("address",)
    ordering = ("-at",)
    fields = ("at", "address", "kind", "source", "message", "detail")


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "state", "match", "reporter", "text")
    list_filter = ("state",)
    search_fields = ("match__code", "reporter__username")
    list_select_related = ("match", "reporter")
    ordering = ("state", "-created_at")
    fields = (
        *("created_at", "state", "ledger", "reporter", "reported", "message_text", "text"),
        *("closed_at", "closed_by", "answer", "what_to_do"),
    )
    readonly_fields = ("ledger", "message_text", "what_to_do")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        return super().get_queryset(request).exclude(match__in=own_matches(request))

    @admin.display(description=_("match"))
    def ledger(self, report: Report) -> str:
        return format_html('<a href="{}">{}</a>', ledger_path(report.match), report.match.code)

    @admin.display(description=_("message"))
    def message_text(self, report: Report) -> str:
        return report.message.text if report.message else ""

    @admin.display(description=_("what to do"))
    def what_to_do(self, report: Report) -> str:
        links = measure_links("report", report.pk, report)
        if report.message:
            links += measure_links("message", report.message.pk, report.message)
        return links


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """What was said at tables: moderators answer for it, so they may read it, but not where they play themselves."""

    list_display = ("created_at", "match", "author", "text", "removed_at")
    list_filter = ("removed_at",)
    search_fields = ("match__code", "author__username", "text")
    list_select_related = ("match", "author")
    ordering = ("-created_at",)
    fields = ("created_at", "match", "author", "ply", "text", "removed_at", "what_to_do")
    readonly_fields = ("what_to_do",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        return super().get_queryset(request).exclude(match__in=own_matches(request))

    @admin.display(description=_("what to do"))
    def what_to_do(self, message: Message) -> str:
        return measure_links("message", message.pk, message)


@admin.register(Ban)
class BanAdmin(ReadOnlyAdmin):
    list_display = ("since", "user", "address", "note", "lifted_at")
    search_fields = ("user__username", "address")
    list_select_related = ("user",)
    ordering = ("-since",)


@admin.register(UnreachableAddress)
class UnreachableAddressAdmin(ReadOnlyAdmin):
    list_display = ("address", "why", "since")
    list_filter = ("why",)
    search_fields = ("address",)
    ordering = ("-since",)
    fields = ("address", "why", "since", "what_to_do")
    readonly_fields = ("what_to_do",)

    @admin.display(description=_("what to do"))
    def what_to_do(self, row: UnreachableAddress) -> str:
        return measure_links("address", row.address, row.address)


@admin.register(AuditEntry)
class AuditAdmin(ReadOnlyAdmin):
    """The audit log; `verify_audit` tells whether it is whole."""

    list_display = ("number", "at", "moderator_name", "verb", "match", "subject", "reason")
    list_filter = ("verb", "moderator_name")
    search_fields = ("match", "subject", "moderator_name", "reason")
    fields = (
        *("number", "at", "moderator_name", "verb", "match", "subject", "reason", "data"),
        *("request_key", "previous", "hash"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        own = own_matches(request).values_list("code", flat=True)
        return super().get_queryset(request).exclude(~Q(match="") & Q(match__in=list(own)))
