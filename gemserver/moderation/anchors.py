"""Tells operators once a day where the audit log ends, by a log line and by mail, which cannot be taken back.

An intruder with the database and even the keys can rewrite the whole log, but not the mails in the operators'
mailboxes; `verify_audit --anchor` compares the two.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from gemserver.moderation import audit
from gemserver.moderation.audit import Anchor
from gemserver.moderation.models import AuditAnchor, AuditHead
from gemserver.operating.operator_mail import mail_operators

log = logging.getLogger(__name__)

COMPARED = 100
"""The number of past days whose anchors are compared with the log each day."""


def tell_daily(now: datetime) -> None:
    """Check the log and mail the operators where it ends, unless that was done today.

    If the mail cannot be sent, the next call tries again.
    """
    day = now.astimezone(UTC).date()
    anchor, is_new = AuditAnchor.objects.get_or_create(day=day, defaults=_end_of_log())
    if not is_new and anchor.told_at:
        return
    fault = audit.find_fault(_earlier(anchor))
    if is_new:
        log.info("the audit log ends with %s on %s", _told(anchor), day)
        if fault:
            log.error("the audit log is not as it was written: %s", fault)
    try:
        mail_operators(*_mail(anchor, fault), about=("audit", anchor.pk))
    except Exception as error:  # any fault of the relay
        log.warning("the operators could not be told of the audit log: %s", type(error).__name__)
        return
    AuditAnchor.objects.filter(pk=anchor.pk).update(told_at=now)


def _end_of_log() -> dict[str, int | str]:
    head = AuditHead.objects.filter(pk=1).first()
    return {"number": head.number, "hash": head.hash} if head else {"number": 0, "hash": ""}


def _earlier(anchor: AuditAnchor) -> list[Anchor]:
    rows = AuditAnchor.objects.filter(day__lt=anchor.day).order_by("-day")[:COMPARED]
    return [_told(row) for row in rows]


def _told(anchor: AuditAnchor) -> Anchor:
    return Anchor.of(anchor.number, anchor.hash)


def _mail(anchor: AuditAnchor, fault: str | None) -> tuple[str, str]:
    """The mail's subject and text."""
    end = _told(anchor)
    subject = _("audit log of %(day)s: %(number)s") % {"day": anchor.day, "number": anchor.number}
    if fault:
        subject = _("the audit log was tampered with")
    whole = _("The audit log is whole.")
    parts = [
        _("It is not as it was written: %(fault)s.") % {"fault": fault} if fault else whole,
        _("On %(day)s (UTC) it has %(number)s entries and ends with")
        % {"day": anchor.day, "number": anchor.number},
        f"    {end}",
        _("Keep this mail: nobody on the server can change what it says. To compare the log with it:"),
        f"    manage.py verify_audit --anchor {end}",
    ]
    return subject, "\n\n".join(parts) + "\n"
