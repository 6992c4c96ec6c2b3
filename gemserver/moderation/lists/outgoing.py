"""Outgoing mail, and delivery reports about it."""

from __future__ import annotations

from types import MappingProxyType

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from gemserver.moderation.actions.targets import Target
from gemserver.moderation.lists.read_only import ReadOnlyAdmin, own_matches
from gemserver.moderation.mail_kinds import say_kind
from gemserver.moderation.paths import action_links
from gemserver.notify.models import DeliveryEvent, OutboxMessage


@admin.register(OutboxMessage)
class OutboxAdmin(ReadOnlyAdmin):
    """Recipient, kind and times of each mail; never the text, which only its reader may know."""

    list_display = ("created_at", "about", "to", "thread", "state", "attempts", "sent_at")
    list_filter = ("state", "kind")
    search_fields = ("to", "=thread", "=message_id", "@user")
    search_among = MappingProxyType({"to": Q(user__isnull=True)})
    sortable_by = ("created_at",)
    words_for = MappingProxyType({"kind": say_kind})
    ordering = ("-pk",)
    fields = (
        *("about", "to", "user", "thread", "message_id", "in_reply_to", "provider_id"),
        *("route", "state", "created_at", "available_at", "attempts", "last_error", "sent_at", "what_to_do"),
    )
    readonly_fields = ("about", "what_to_do")

    @admin.display(description=_("kind"))
    def about(self, message: OutboxMessage) -> str:
        return say_kind(message.kind)

    def get_queryset(self, request: HttpRequest) -> QuerySet[OutboxMessage]:
        threads = [match.thread for match in own_matches(request)]
        return super().get_queryset(request).exclude(thread__in=threads)

    @admin.display(description=_("what to do"))
    def what_to_do(self, message: OutboxMessage) -> str:
        return action_links(Target.OUTGOING, message)


@admin.register(DeliveryEvent)
class DeliveryEventAdmin(ReadOnlyAdmin):
    """Reports of providers and other servers about mails."""

    list_display = ("at", "address", "kind", "source", "detail")
    list_filter = ("kind", "source")
    search_fields = ("=address",)
    sortable_by = ("at",)
    ordering = ("-at",)
    fields = ("at", "address", "kind", "source", "message", "detail")

    def get_queryset(self, request: HttpRequest) -> QuerySet[DeliveryEvent]:
        """Without reports about mails of matches that the reader plays in."""
        threads = [match.thread for match in own_matches(request)]
        return super().get_queryset(request).exclude(message__thread__in=threads)
