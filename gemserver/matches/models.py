"""Matches, seats and moves.

The truth is the server part and the players' parts (hence the seed), the options and the moves that are not void;
position, ply, "who is waited for", scores and events are caches that `replay` can rebuild.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from games import registry
from games.contract import Layout, Rules, Words, seat_letter
from gemserver.clocks.control import TimeControl
from gemserver.lib import signing


class Match(models.Model):
    """One game: a table that waits for players, then a running match, then a record."""

    class Status(models.TextChoices):
        OPEN = "open", _("waiting for players")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        CANCELLED = "cancelled", _("cancelled")

    class Ending(models.TextChoices):
        PLAYED_OUT = "played out", _("played out")
        RESIGNED = "resigned", _("resigned")
        ADJUDICATED = "adjudicated", _("adjudicated")

    class Absence(models.TextChoices):
        DEFAULT = "default", _("the game's default move is played")
        BOT = "bot", _("a bot plays this one move")
        REPLACE = "replace", _("after two misses in a row a bot takes the seat until somebody else does")

    code = models.CharField(
        _("code"), max_length=16, unique=True, help_text="`M17`: how mails and pages name it"
    )
    game = models.CharField(_("game"), max_length=20)
    rules_version = models.PositiveSmallIntegerField()
    options = models.CharField(
        _("options"), max_length=200, blank=True, help_text="as in a record: `pace=table`"
    )
    seat_count = models.PositiveSmallIntegerField(_("seats"))
    bank = models.DurationField(_("bank"), help_text="time on each clock at the start")
    increment = models.DurationField(_("increment"), help_text="added after each answer")
    cap = models.DurationField(_("cap"), help_text="never more than this on a clock")
    free_weekends = models.BooleanField(
        _("free weekends"), default=False, help_text="Saturday and Sunday do not count, in each player's zone"
    )
    vacation_days = models.PositiveSmallIntegerField(
        _("days of vacation"),
        null=True,
        help_text="so many count for each player; none given: all that players have",
    )
    absence = models.CharField(
        _("when time runs out"), max_length=8, choices=Absence, default=Absence.DEFAULT
    )
    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.OPEN)
    ending = models.CharField(_("ending"), max_length=12, choices=Ending, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="opened_matches"
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    server_part = models.CharField(
        max_length=64, help_text="S of the deal protocol; secret until the match is over"
    )
    commitment = models.CharField(max_length=64)
    ply = models.PositiveIntegerField(default=0, help_text="number of moves that are not void")
    position = models.TextField(blank=True, help_text="the state after `ply` moves, by `codec`; secret")

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")

    def __str__(self) -> str:
        return f"{self.code} {self.game}"

    def get_absolute_url(self) -> str:
        return reverse("match", args=[self.code])

    @property
    def rules(self) -> Rules[Any, Any, Any]:
        return registry.game(self.game).rules

    @property
    def words(self) -> Words:
        return registry.game(self.game).words

    @property
    def layout(self) -> Layout:
        return registry.game(self.game).layout

    @property
    def title(self) -> str:
        return self.rules.meta.title

    @property
    def time_control(self) -> TimeControl:
        return TimeControl(self.bank, self.increment, self.cap)

    @property
    def thread(self) -> str:
        """Name of the mail thread of this match."""
        return f"match:{self.pk}"

    @property
    def is_running(self) -> bool:
        return self.status == self.Status.RUNNING

    @property
    def is_over(self) -> bool:
        return self.status == self.Status.FINISHED


class Seat(models.Model):
    """A place at a table and who sits in it: a user or a bot."""

    class Bot(models.TextChoices):
        NONE = "", _("a person")
        RANDOM = "random", _("random bot")
        EASY = "easy", _("easy bot")
        NORMAL = "normal", _("normal bot")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="seats"
    )
    bot = models.CharField(max_length=8, choices=Bot, default=Bot.NONE, blank=True)
    part = models.CharField(max_length=64, help_text="this seat's part of the seed, hex; public once given")
    is_waiting = models.BooleanField(default=False, help_text="the match waits for this seat")
    prompt_ply = models.PositiveIntegerField(
        default=0, help_text="number of the move that was asked for last; 0: none yet"
    )
    prompted_at = models.DateTimeField(null=True)
    clock_left = models.DurationField(
        default=timedelta, help_text="the bank when the present prompt was put, or since the last answer"
    )
    due_at = models.DateTimeField(null=True, help_text="when the present prompt runs out")
    remind_at = models.DateTimeField(null=True, help_text="when the next reminder is to be sent")
    reminders_sent = models.PositiveSmallIntegerField(default=0, help_text="about the present prompt")
    seen_at = models.DateTimeField(null=True, help_text="when its player last looked at the match")
    misses = models.PositiveSmallIntegerField(default=0, help_text="prompts that ran out, in a row")
    is_open = models.BooleanField(
        default=False, help_text="a bot holds it until a substitute takes it; its player was absent"
    )
    score = models.SmallIntegerField(null=True)
    rank = models.PositiveSmallIntegerField(null=True)
    token_generation = models.PositiveIntegerField(default=0)
    token_hash = models.CharField(max_length=64, unique=True, null=True, editable=False)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["index"]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_index"),
            models.UniqueConstraint(
                fields=["match", "user"], name="seat_user", condition=Q(user__isnull=False)
            ),
            models.CheckConstraint(condition=Q(is_open=False) | ~Q(bot=""), name="seat_open_has_bot"),
            models.CheckConstraint(condition=Q(bot="") | Q(user__isnull=True), name="seat_user_or_bot"),
        ]
        indexes = [
            # Read by tasks.act_on_deadlines: prompts that have run out.
            models.Index(
                fields=["due_at"], name="seat_due", condition=Q(is_waiting=True, due_at__isnull=False)
            ),
            # Read by tasks.act_on_deadlines: reminders to send.
            models.Index(
                fields=["remind_at"],
                name="seat_remind",
                condition=Q(is_waiting=True, remind_at__isnull=False),
            ),
            # Read by tasks.play_bots: bots that are to move.
            models.Index(
                fields=["match"], name="seat_bot_waiting", condition=Q(is_waiting=True) & ~Q(bot="")
            ),
            # Read by selectors.open_seats: what a substitute may take.
            models.Index(fields=["match", "index"], name="seat_open", condition=Q(is_open=True)),
            # Read by selectors.waiting_for: what waits for a player, by deadline.
            models.Index(fields=["user", "due_at"], name="seat_user_waiting", condition=Q(is_waiting=True)),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.letter}: {self.name}"

    @property
    def letter(self) -> str:
        return seat_letter(self.index)

    @property
    def name(self) -> str:
        """The player's name; a bot's is its strength; `player 3` once the person is gone."""
        if self.user:
            return self.user.username
        if self.bot:
            return f"{self.get_bot_display()} {self.letter}"
        return _("player %(number)d") % {"number": self.index + 1}

    @property
    def token(self) -> str:
        """The reply token of this seat and its present holder, derived anew each time."""
        return signing.reply_token("seat", self.match_id, self.index, self.user_id, self.token_generation)

    def current_token_hash(self) -> str:
        """What `token_hash` must be for the present holder and generation."""
        return signing.token_hash(self.token)

    @property
    def reply_address(self) -> str:
        """Where this seat's player sends moves. For that player's eyes only."""
        return settings.PLAY_REPLY.format(token=self.token)


class Move(models.Model):
    """One ply: what a seat played, in canonical notation, and what followed from it."""

    class Source(models.TextChoices):
        WEB = "web", _("web")
        MAIL = "mail", _("mail")
        FORCED = "auto", _("forced")
        PLAN = "plan", _("by plan")
        BOT = "bot", _("bot")
        CLOCK = "clock", _("time ran out")
        MODERATOR = "moderator", _("moderator")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="moves")
    ply = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=500)
    source = models.CharField(max_length=10, choices=Source)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    request_id = models.CharField(max_length=80, null=True)
    created_at = models.DateTimeField()
    voided_at = models.DateTimeField(null=True)
    is_sealed = models.BooleanField(
        default=False, help_text="played face down: its text is its player's alone until a later open move"
    )
    events = models.JSONField(help_text="cache: what followed, as data, each with its audience")

    class Meta:
        verbose_name = _("move")
        verbose_name_plural = _("moves")
        ordering = ["match", "ply"]
        constraints = [
            models.UniqueConstraint(
                fields=["match", "ply"], name="move_ply", condition=Q(voided_at__isnull=True)
            ),
            models.UniqueConstraint(
                fields=["match", "request_id"], name="move_request", condition=Q(request_id__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        """Without the text, which may lie face down: this stands in admin pages and error reports."""
        return f"{self.match_id} {self.ply} {seat_letter(self.seat)}"


class Stop(models.Model):
    """Time that counts on no clock: of one match (a pause), or of all (the server or its mail was down)."""

    class Reason(models.TextChoices):
        DOWNTIME = "downtime", _("the server was down")
        MAIL = "mail", _("no mail could be sent")
        PAUSE = "pause", _("pause")

    match = models.ForeignKey(
        Match, null=True, on_delete=models.CASCADE, related_name="stops", help_text="none: all matches"
    )
    reason = models.CharField(max_length=8, choices=Reason)
    start = models.DateTimeField()
    end = models.DateTimeField(null=True, help_text="none: it goes on")
    is_told = models.BooleanField(
        default=False, help_text="the deadlines of all matches are moved and their logs say why"
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


class Notice(models.Model):
    """A line in the log of a match that is no move; `notices` puts it into words."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="notices")
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

    def __str__(self) -> str:
        return f"{self.match_id} {self.key}"


class Heartbeat(models.Model):
    """When a duty of the server was last known to be done."""

    class Duty(models.TextChoices):
        SWEEP = "sweep", _("looking for deadlines")
        MAIL = "mail", _("sending mail")

    duty = models.CharField(max_length=8, choices=Duty, primary_key=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("heartbeat")
        verbose_name_plural = _("heartbeats")

    def __str__(self) -> str:
        return f"{self.duty} {self.at:%Y-%m-%d %H:%M:%S}"


class Holiday(models.Model):
    """Days off for a whole table, proposed by one player and free once all have agreed."""

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
    settled_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("table holiday")
        verbose_name_plural = _("table holidays")
        constraints = [
            models.CheckConstraint(condition=Q(last__gte=models.F("first")), name="holiday_lasts"),
            models.UniqueConstraint(fields=["match"], name="holiday_open", condition=Q(outcome="open")),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.first} - {self.last} ({self.outcome})"
