from __future__ import annotations

from django.contrib import admin

from gemserver.lib.admin import ReadOnlyAdmin
from gemserver.notify.models import OutboxMessage


@admin.register(OutboxMessage)
class OutboxAdmin(ReadOnlyAdmin):
    """Who was told what kind of thing and when; never the text, which holds what only its reader may know."""

    list_display = ("created_at", "kind", "to", "thread", "state", "attempts", "sent_at")
    list_filter = ("state", "kind")
    search_fields = ("to", "thread", "message_id")
    fields = (
        *("kind", "to", "user", "thread", "message_id", "in_reply_to", "provider_id"),
        *("state", "created_at", "available_at", "attempts", "last_error", "sent_at"),
    )
