"""Remove a message by a moderator's decision; the table is told."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import ChatMessage


def remove_message(message_id: int, why: str, *, now: datetime) -> ChatMessage:
    """Hide the message from everybody; `why` is shown to the table. A second removal changes nothing."""
    with transaction.atomic():
        match = lock_match(ChatMessage.objects.values_list("match_id", flat=True).get(pk=message_id))
        message = ChatMessage.objects.get(pk=message_id)
        if message.removed_at is None:
            message.removed_at = now
            message.save(update_fields=["removed_at"])
            notices.post(
                match,
                "message-removed",
                f"message-removed:{message_id}",
                now=now,
                player=message.seat,
                why=why,
            )
    return message
