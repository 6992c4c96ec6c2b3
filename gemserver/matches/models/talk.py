"""Texts at and about a table: notices in its log, messages, private notes, reports."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.lib.text.times import show_time
from gemserver.matches.models.match import Match


class Notice(models.Model):
    """A line in the log of a match that is not a move; `notices` puts it into words."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="notices", db_index=False)
    ply = models.PositiveIntegerField(help_text="the moves that had been played by then")
    kind = models.CharField(max_length=20)
    data = models.JSONField(default=dict)
    key = models.CharField(max_length=60, help_text="what it is about; told once")
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        ordering = ["created_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["match", "key"], name="notice_once")]
        # Read by uptime.count_told: the logs that mention a stop of all clocks.
        indexes = [
            models.Index(
                fields=["key"],
                name="notice_of_stop",
                condition=models.Q(kind__in=["downtime", "mail-down", "mail-back"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.key}"


class ChatMessage(models.Model):
    """A player's message to the table: plain text with a little Markdown."""

    match = models.ForeignKey(
        Match, verbose_name=_("match"), on_delete=models.CASCADE, related_name="messages"
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("author"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="messages",
    )
    seat = models.PositiveSmallIntegerField(help_text="the author's seat")
    ply = models.PositiveIntegerField(
        _("moves played by then"), help_text="the moves that had been played by then"
    )
    text = models.TextField(_("text"))
    request_id = models.CharField(max_length=80, null=True, help_text="the same request says it once")
    created_at = models.DateTimeField(_("written at"))
    removed_at = models.DateTimeField(
        _("removed at"), null=True, help_text="by a moderator; nobody else is shown it any more"
    )

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["match", "request_id"],
                name="message_request",
                condition=models.Q(request_id__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.match.code} {show_time(self.created_at)}"


class Note(models.Model):
    """A player's private note about a match."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="notes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        constraints = [models.UniqueConstraint(fields=["match", "user"], name="note_of_player")]

    def __str__(self) -> str:
        """Without the text, which is for its writer alone."""
        return f"{self.match_id} {self.user_id}"


class Report(models.Model):
    """A player's report to the moderators: of a match, a message or another player there, or of a public text.

    A public text is that of a club or an event, which `about` names.
    """

    class State(models.TextChoices):
        OPEN = "open", _("waiting for a moderator")
        CLOSED = "closed", _("dealt with")

    match = models.ForeignKey(
        Match, verbose_name=_("match"), null=True, on_delete=models.CASCADE, related_name="reports"
    )
    about = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="without a match: `club:12`, `event:3`",
    )
    title = models.CharField(_("about"), max_length=60, blank=True, default="", db_default="")
    quoted = models.TextField(
        _("what stood there"), blank=True, default="", db_default="", help_text="when it was reported"
    )
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("reported by"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="reports",
    )
    message = models.ForeignKey(ChatMessage, null=True, on_delete=models.SET_NULL, related_name="reports")
    reported = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("reported player"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    text = models.TextField(_("text"), blank=True)
    created_at = models.DateTimeField(_("written at"))
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.OPEN)
    closed_at = models.DateTimeField(_("closed at"), null=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("closed by"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    answer = models.TextField(_("answer"), blank=True, help_text="what the reporter is told")

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(match__isnull=False, about="")
                | (models.Q(match__isnull=True) & ~models.Q(about="")),
                name="report_is_about_something",
            )
        ]
        indexes = [
            # Read by the moderators' start page: open reports.
            models.Index(fields=["created_at"], name="report_open", condition=models.Q(state="open")),
            # Read by the moderators' lists of clubs and events: reported texts.
            models.Index(fields=["about"], name="report_about", condition=models.Q(match=None)),
            # Read every hour: those that are forgotten.
            models.Index(fields=["closed_at"], name="report_closed"),
        ]

    def __str__(self) -> str:
        place = self.match.code if self.match else self.title
        return f"{place} {show_time(self.created_at)} ({self.get_state_display()})"
