"""The audit log of moderators' actions: a chain of rows that nobody can change unnoticed.

Each row's hash covers its content and the hash of the row before it, so that a changed or missing row is found
(`audit.find_fault`). It is made with a key that is not in the database (`audit_keys`). So is the signature of the head,
which shows if the last rows were cut off. Database triggers refuse UPDATE, DELETE and TRUNCATE, and every change of the
head that does not append a row. People are stored by number and name, not by foreign key, because the log outlives
accounts.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.lib.text.times import show_time
from gemserver.moderation.audit_keys import ID_LENGTH, Key


def _shown(value: object) -> object:
    """A value of `AuditEntry.data`; an ISO instant as the reader's date and time."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return value
    return show_time(at) if at and at.tzinfo else value


class AuditEntry(models.Model):
    """One action of a moderator, with its reason and what it changed."""

    number = models.PositiveBigIntegerField(_("number"), primary_key=True, help_text="1, 2, 3 … without gaps")
    at = models.DateTimeField(_("when"))
    moderator = models.PositiveBigIntegerField(_("moderator's account"))
    moderator_name = models.CharField(_("moderator"), max_length=150)
    verb = models.CharField(_("action"), max_length=24)
    match = models.CharField(_("match"), max_length=16, blank=True, help_text="its code")
    subject = models.CharField(_("about"), max_length=320, blank=True)
    reason = models.TextField(_("reason"))
    data = models.JSONField(default=dict, help_text="what was changed")
    request_key = models.CharField(
        _("request id"), max_length=64, unique=True, help_text="the same request acts once"
    )
    previous = models.CharField(
        _("fingerprint of the entry before"),
        max_length=64,
        blank=True,
        help_text="hash of the entry before this one",
    )
    key = models.CharField(
        _("key of the fingerprint"),
        max_length=ID_LENGTH,
        blank=True,
        help_text="which key made the hash; none in rows from before there was one",
    )
    hash = models.CharField(_("fingerprint"), max_length=64)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit log")
        ordering = ["-number"]
        # Read by the timeline of a match.
        indexes = [models.Index(fields=["match", "number"], name="audit_match")]

    def __str__(self) -> str:
        return f"{self.number}: {self.verb} {self.match} {self.subject}".strip()

    @property
    def changes(self) -> list[str]:
        """`data` as lines, instants written like all others on the moderators' pages."""
        return [f"{name}: {_shown(value)}" for name, value in self.data.items()]

    def computed_hash(self, key: Key) -> str:
        """HMAC of everything in this row and of the previous row's hash, 64 hex digits."""
        content = [
            *(
                self.number,
                self.at.astimezone(UTC).isoformat(),
                self.moderator,
                self.moderator_name,
                self.verb,
                self.match,
            ),
            *(self.subject, self.reason, self.data, self.request_key, self.previous),
        ]
        text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        return key.sign("entry", text)


class AuditHead(models.Model):
    """The end of the log: a single row, locked for writing the next entry."""

    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True)
    key = models.CharField(max_length=ID_LENGTH, blank=True, help_text="which key made the signature")
    signature = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name = _("head of the audit log")
        verbose_name_plural = _("head of the audit log")

    def __str__(self) -> str:
        return str(self.number)

    def computed_signature(self, key: Key) -> str:
        """HMAC of everything in this row, 64 hex digits."""
        return key.sign("head", f"{self.number}|{self.hash}".encode())

    def sign(self, key: Key) -> None:
        """Set the signature with this key; nothing is saved."""
        self.key, self.signature = key.id, self.computed_signature(key)


class StuckMatch(models.Model):
    """A running match in which nothing happens, found by the hourly look at all of them (`stuck_matches`)."""

    match = models.OneToOneField(
        "matches.Match", primary_key=True, on_delete=models.CASCADE, related_name="+"
    )

    class Meta:
        verbose_name = _("match in which nothing happens")
        verbose_name_plural = _("matches in which nothing happens")

    def __str__(self) -> str:
        return str(self.match_id)


class AuditAnchor(models.Model):
    """The end of the log on one day, as it was mailed to the operators."""

    day = models.DateField(_("day"), help_text="UTC")
    number = models.PositiveBigIntegerField(_("number"))
    hash = models.CharField(max_length=64, blank=True)
    told_at = models.DateTimeField(null=True, help_text="when the operators were sent a mail")

    class Meta:
        verbose_name = _("anchor of the audit log")
        verbose_name_plural = _("anchors of the audit log")
        constraints = [models.UniqueConstraint(fields=["day"], name="audit_anchor_day")]

    def __str__(self) -> str:
        return f"{self.day}: {self.number}"
