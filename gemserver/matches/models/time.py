"""Stops of clocks, heartbeats, holidays and sittings."""

from __future__ import annotations

from datetime import date, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from gemserver.lib import signing
from gemserver.matches.models.match import Match, Seat


class Stop(models.Model):
    """Time that counts on no clock: in one match (a pause), or in all (the server or its mail was down)."""

    class Reason(models.TextChoices):
        DOWNTIME = "downtime", _("the server was down")
        MAIL = "mail", _("no mail could be sent")
        PAUSE = "pause", _("pause")
        GAME = "game", _("the rules of the game have failed")

    match = models.ForeignKey(
        Match, null=True, on_delete=models.CASCADE, related_name="stops", help_text="none: all matches"
    )
    reason = models.CharField(max_length=8, choices=Reason)
    start = models.DateTimeField()
    end = models.DateTimeField(null=True, help_text="none: it goes on")
    is_told = models.BooleanField(
        default=False, help_text="the deadlines of all matches are moved and their logs say why"
    )
    told_up_to = models.BigIntegerField(
        default=0, help_text="the last match (by primary key) for which that is done"
    )

    class Meta:
        verbose_name = _("stop of clocks")
        verbose_name_plural = _("stops of clocks")
        constraints = [
            models.CheckConstraint(condition=Q(end=None) | Q(end__gt=models.F("start")), name="stop_lasts"),
            models.UniqueConstraint(
                fields=["reason"], name="stop_going_on", condition=Q(match=None, end=None)
            ),
            models.UniqueConstraint(fields=["match"], name="stop_of_match_going_on", condition=Q(end=None)),
        ]

    def __str__(self) -> str:
        return f"{self.reason} {self.start:%Y-%m-%d %H:%M} - {self.end or ''}"


class Heartbeat(models.Model):
    """The last time at which a duty of the server was known to be done."""

    class Duty(models.TextChoices):
        SWEEP = "sweep", _("looking for deadlines")
        MAIL = "mail", _("sending mail")
        BACKUP = "backup", _("backing up")

    duty = models.CharField(max_length=8, choices=Duty, primary_key=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("heartbeat")
        verbose_name_plural = _("heartbeats")

    def __str__(self) -> str:
        return f"{self.duty} {self.at:%Y-%m-%d %H:%M:%S}"


class Holiday(models.Model):
    """Days off for a whole table, proposed by one player and valid once all have agreed."""

    class Outcome(models.TextChoices):
        OPEN = "open", _("waiting for consent")
        AGREED = "agreed", _("agreed")
        REFUSED = "refused", _("refused")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="holidays")
    first = models.DateField(_("first day"))
    last = models.DateField(_("last day"))
    proposed_at = models.DateTimeField()
    agreed = models.JSONField(help_text="indexes of the seats that agree, the proposer first")
    outcome = models.CharField(max_length=8, choices=Outcome, default=Outcome.OPEN)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("table holiday")
        verbose_name_plural = _("table holidays")
        constraints = [
            models.CheckConstraint(condition=Q(last__gte=models.F("first")), name="holiday_lasts"),
            models.UniqueConstraint(fields=["match"], name="holiday_open", condition=Q(outcome="open")),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.first} - {self.last} ({self.outcome})"


class Sitting(models.Model):
    """A player plays for another in one seat for a stated time, with a reply address of their own.

    It begins once the sitter has agreed, and ends with its period, when the player returns, or when the seat gets
    another holder. The sitter sees what the seat may see now; talk and notes stay private to the player.
    """

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="sittings")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="who held the seat when it was given",
    )
    sitter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sittings")
    starts_at = models.DateTimeField(_("from"))
    ends_at = models.DateTimeField(_("until"))
    proposed_at = models.DateTimeField()
    agreed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True, help_text="refused, returned from early, or over")
    token_generation = models.PositiveIntegerField(default=0, db_default=0)
    token_hash = models.CharField(max_length=64, unique=True, null=True, editable=False)

    class Meta:
        verbose_name = _("sitting")
        verbose_name_plural = _("sittings")
        constraints = [
            models.CheckConstraint(condition=Q(ends_at__gt=models.F("starts_at")), name="sitting_lasts"),
            models.UniqueConstraint(fields=["seat"], name="sitting_open", condition=Q(ended_at__isnull=True)),
        ]
        indexes = [
            # Read by sweeps: sittings whose period is over.
            models.Index(fields=["ends_at"], name="sitting_ends", condition=Q(ended_at__isnull=True)),
            # Read by selectors: the seats in which a player sits for somebody.
            models.Index(fields=["sitter"], name="sitting_of_sitter", condition=Q(ended_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.seat_id}: {self.sitter_id} for {self.player_id}"

    @property
    def first_day(self) -> date:
        """The first day of the period, in the absent player's zone."""
        return self.starts_at.astimezone(self.player.zone).date()

    @property
    def last_day(self) -> date:
        """The last day of the period, in the absent player's zone; it ends at that day's midnight."""
        return (self.ends_at - timedelta(microseconds=1)).astimezone(self.player.zone).date()

    @property
    def token(self) -> str:
        """The sitter's own reply token, derived anew each time."""
        return signing.reply_token(*self.token_parts)

    @property
    def token_parts(self) -> tuple[str, *tuple[int, ...]]:
        """The values that `token` is derived from; of the first token no generation, as in mails of version 1.0."""
        generation = (self.token_generation,) if self.token_generation else ()
        return "sitting", self.pk, self.sitter_id, *generation

    def current_token_hash(self) -> str:
        """The right value of `token_hash` for the generation."""
        return signing.token_hash(self.token)

    @property
    def reply_address(self) -> str:
        """The address to which the sitter sends moves. For the sitter's eyes only."""
        return settings.PLAY_REPLY.format(token=self.token)
