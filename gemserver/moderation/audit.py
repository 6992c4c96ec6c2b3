"""Writes the audit log, and checks whether anybody has tampered with it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from gemserver.accounts.models import User
from gemserver.moderation.audit_keys import current_key, find_key
from gemserver.moderation.models import AuditEntry, AuditHead

TOLD_DIGITS = 32
"""Digits of a hash in an anchor: 128 bits; log lines do not redact them, as they would a seed."""


SERVER = "server"
"""The name of whoever is no moderator; no account may have it (`accounts.names`)."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Outside knowledge of the log: the number of an entry, and the first digits of its hash."""

    number: int
    digits: str

    @classmethod
    def of(cls, number: int, full_hash: str) -> Anchor:
        """The anchor of this entry; number 0 and an empty hash while there is none."""
        return cls(number, full_hash[:TOLD_DIGITS])

    @classmethod
    def read(cls, text: str) -> Anchor:
        """Read `SEQ:HASH`, as the daily mail prints it. Raises ValueError for anything else."""
        if not (found := re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{32,64})?", text.strip().lower())):
            raise ValueError(text)
        anchor = cls(int(found[1]), found[2] or "")
        if bool(anchor.number) is not bool(anchor.digits):
            raise ValueError(text)
        return anchor

    def __str__(self) -> str:
        return f"{self.number}:{self.digits}"


def lock() -> AuditHead:
    """Lock the end of the log until the transaction ends; last of all, as every action waits for it."""
    head = AuditHead.objects.select_for_update().filter(pk=1).first()
    if head is None:
        new = AuditHead()
        new.sign(current_key())
        fields = {"key": new.key, "signature": new.signature}
        AuditHead.objects.get_or_create(pk=1, defaults=fields)
        head = AuditHead.objects.select_for_update().get(pk=1)
    return head


def entry_of(request_key: str) -> AuditEntry | None:
    """The entry that this request has written already; None if it has not been carried out."""
    return AuditEntry.objects.filter(request_key=request_key).first()


def write(
    moderator: User | None,
    verb: str,
    *,
    reason: str,
    request_key: str,
    now: datetime,
    match: str = "",
    subject: str = "",
    data: Mapping[str, object] | None = None,
) -> AuditEntry:
    """Append an entry, in the transaction of the action that it describes.

    `moderator` None: the server did it by itself, when the time came that a moderator had set.
    """
    head, key = lock(), current_key()
    entry = AuditEntry(
        number=head.number + 1,
        at=now.astimezone(UTC),
        moderator=moderator.pk if moderator else 0,
        moderator_name=moderator.username if moderator else SERVER,
        verb=verb,
        match=match,
        subject=subject,
        reason=reason,
        data=dict(data or {}),
        request_key=request_key,
        previous=head.hash,
        key=key.id,
    )
    entry.hash = entry.computed_hash(key)
    entry.save(force_insert=True)
    head.number, head.hash = entry.number, entry.hash
    head.sign(key)
    head.save(force_update=True)
    return entry


def find_fault(anchors: Sequence[Anchor] = ()) -> str | None:
    """Describe the first place where the log is not as it was written; None if it is intact.

    `anchors`: earlier ends of the log, known from where an intruder with database and keys cannot rewrite them.
    """
    head = AuditHead.objects.filter(pk=1).first()
    if head is None:
        return "the head of the log is missing"
    previous, number = "", 0
    expected: defaultdict[int, list[Anchor]] = defaultdict(list)
    for anchor in anchors:
        expected[anchor.number].append(anchor)
    for entry in AuditEntry.objects.order_by("number").iterator():
        number += 1
        if fault := _fault_of(entry, number, previous):
            return fault
        previous = entry.hash
        for anchor in expected.pop(number, []):
            if not previous.startswith(anchor.digits):
                return f"entry {number} is not the one that was told as {anchor}"
    if number < head.number:
        return f"entries {number + 1} to {head.number} are missing"
    if number > head.number or head.hash != previous:
        return "the head of the log was changed"
    if fault := _fault_of_head(head):
        return fault
    if missing := max(expected, default=0):
        return f"entry {missing}, which was told as {expected[missing][0]}, is missing"
    return None


def _fault_of(entry: AuditEntry, number: int, previous: str) -> str | None:
    if entry.number != number:
        return f"entry {number} is missing"
    key = find_key(entry.key)
    if key is None:
        return _unknown_key(f"entry {number}", entry.key)
    if entry.previous != previous or entry.hash != entry.computed_hash(key):
        return f"entry {number} was changed"
    return None


def _fault_of_head(head: AuditHead) -> str | None:
    key = find_key(head.key)
    if key is None:
        return _unknown_key("the head of the log", head.key)
    return None if head.signature == head.computed_signature(key) else "the head of the log was changed"


def _unknown_key(what: str, key_id: str) -> str:
    if not key_id:
        return f"{what} has no signature"
    return f"{what} was signed with the key {key_id}, which is not in AUDIT_KEY or AUDIT_KEY_FALLBACKS"
