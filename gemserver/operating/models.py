"""Troubles of the server as a whole, and the rows of its cache."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Incident(models.Model):
    """A trouble, from when it began until it was over; the operators are told of it once."""

    class Kind(models.TextChoices):
        SCHEDULER = "scheduler", _("the scheduler stood still")
        MAIL = "mail", _("no mail could be sent")
        OUTBOX = "outbox", _("mail waits to be sent")
        INBOX = "inbox", _("mail waits to be read")
        DEADLINES = "deadlines", _("deadlines are not acted on")
        QUEUE = "queue", _("tasks pile up at the broker")
        BROKER = "broker", _("the message broker did not answer")
        GAME = "game", _("the rules of a game have failed")
        BACKUP = "backup", _("no backup was made")

    kind = models.CharField(max_length=10, choices=Kind)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    told_at = models.DateTimeField(null=True, help_text="when the operators were sent a mail")
    tell_after = models.DateTimeField(help_text="not to be told before: somebody is at it, or it failed")

    class Meta:
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")
        ordering = ["-began_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind"], name="incident_going_on", condition=Q(ended_at__isnull=True)
            ),
            models.UniqueConstraint(fields=["kind", "began_at"], name="incident_once"),
        ]
        # Read by retention: incidents that ended long ago.
        indexes = [models.Index(fields=["ended_at"], name="incident_ended")]

    def __str__(self) -> str:
        return f"{self.kind} {self.began_at:%Y-%m-%d %H:%M}"


class CacheEntry(models.Model):
    """A row of Django's database cache, for counts that all processes share, such as attempts to sign in.

    Only the cache reads and writes it; the names of the columns are its own.
    """

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "operating_cache"
        verbose_name = _("cached value")
        verbose_name_plural = _("cached values")

    def __str__(self) -> str:
        return self.cache_key
