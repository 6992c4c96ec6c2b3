"""Writing the audit log, and finding out whether anybody has tampered with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from gemserver.accounts.models import User
from gemserver.moderation.models import AuditEntry, AuditHead


def lock() -> AuditHead:
    """The end of the log, for this transaction alone: what moderators do happens one after the other."""
    AuditHead.objects.get_or_create(pk=1)
    return AuditHead.objects.select_for_update().get(pk=1)


def entry_of(request_key: str) -> AuditEntry | None:
    """What this request has done already; None when it has not been carried out."""
    return AuditEntry.objects.filter(request_key=request_key).first()


def write(
    moderator: User,
    verb: str,
    *,
    reason: str,
    request_key: str,
    now: datetime,
    match: str = "",
    subject: str = "",
    data: Mapping[str, object] | None = None,
) -> AuditEntry:
    """Append an entry, in the transaction of what it tells about."""
    head = lock()
    entry = AuditEntry(
        number=head.number + 1,
        at=now.astimezone(UTC),
        moderator=moderator.pk,
        moderator_name=moderator.username,
        verb=verb,
        match=match,
        subject=subject,
        reason=reason,
        data=dict(data or {}),
        request_key=request_key,
        previous=head.hash,
    )
    entry.hash = entry.computed_hash()
    entry.save(force_insert=True)
    head.number, head.hash = entry.number, entry.hash
    head.save()
    return entry


def find_fault() -> str | None:
    """The first thing about the log that is not as it was written; None when it is whole."""
    previous, number = "", 0
    for entry in AuditEntry.objects.order_by("number").iterator():
        number += 1
        if entry.number != number:
            return f"entry {number} is missing"
        if entry.previous != previous or entry.hash != entry.computed_hash():
            return f"entry {number} was changed"
        previous = entry.hash
    head = AuditHead.objects.filter(pk=1).first()
    written = head.number if head else 0
    if number < written:
        return f"entries {number + 1} to {written} are missing"
    if number > written or (head and head.hash != previous):
        return "the head of the log was changed"
    return None
