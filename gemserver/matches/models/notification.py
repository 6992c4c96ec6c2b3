"""Players' choices of notification channels."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.matches.models.match import Match


class NotificationChoice(models.Model):
    """The channel for one kind of news to a player: in one match, or the default for all matches."""

    class Topic(models.TextChoices):
        TURN = "turn", _("my turn")
        REMINDER = "reminder", _("my time is running out")
        TIMEOUT = "timeout", _("my time ran out")
        TALK = "talk", _("somebody writes at the table")
        TABLE = "table", _("a table starts, ends, or needs my consent")

    class Channel(models.TextChoices):
        MAIL = "mail", _("a mail at once")
        DIGEST = "digest", _("in the daily digest")
        WEB = "web", _("only on the web")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notification_choices"
    )
    match = models.ForeignKey(
        Match, null=True, on_delete=models.CASCADE, related_name="+", help_text="none: all matches"
    )
    event = models.CharField(max_length=10, choices=Topic)
    channel = models.CharField(max_length=8, choices=Channel)

    class Meta:
        verbose_name = _("notification choice")
        verbose_name_plural = _("notification choices")
        constraints = [
            models.UniqueConstraint(fields=["user", "match", "event"], name="notification_choice_in_match"),
            models.UniqueConstraint(
                fields=["user", "event"],
                name="notification_choice_everywhere",
                condition=models.Q(match__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.match_id or '*'} {self.event}: {self.channel}"
