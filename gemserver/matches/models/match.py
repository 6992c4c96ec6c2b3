"""Matches, seats and moves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from games import registry
from games.contract import Layout, Rules, Words, seat_letter
from gemserver.clocks.control import TimeControl
from gemserver.clubs.models import Club
from gemserver.lib import signing
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text.plain import colon
from gemserver.matches.offered.offered_games import RemovedWords


class Match(models.Model):
    """One game: a table that waits for players, then a running match, then a record."""

    class Status(models.TextChoices):
        OPEN = "open", _("waiting for players")
        RUNNING = "running", _("running")
        FINISHED = "finished", pgettext_lazy("a match", "finished")
        CANCELLED = "cancelled", _("cancelled")

    class Ending(models.TextChoices):
        PLAYED_OUT = "played out", _("played out")
        RESIGNED = "resigned", _("resigned")
        ADJUDICATED = "adjudicated", _("adjudicated")

    class Absence(models.TextChoices):
        DEFAULT = "default", _("the game's default move is played")
        BOT = "bot", _("a bot plays this one move")
        REPLACE = "replace", _("after two misses in a row a bot takes the seat until somebody else does")

    class Access(models.TextChoices):
        ANYONE = "anyone", _("anyone may join")
        INVITED = "invited", _("only those who are invited or have the link")

    code = models.CharField(
        _("code"), max_length=16, unique=True, help_text="`M17`: how mails and pages name it"
    )
    game = models.CharField(_("game"), max_length=20)
    rules_version = models.PositiveSmallIntegerField(_("version of the rules"))
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
    access = models.CharField(_("who may join"), max_length=8, choices=Access, default=Access.ANYONE)
    allows_bots = models.BooleanField(
        _("bots may join"), default=False, db_default=False, help_text="accounts that only programs use"
    )
    is_rated = models.BooleanField(
        _("rated"), default=False, db_default=False, help_text="its result may change ratings"
    )
    club = models.ForeignKey(
        Club, null=True, on_delete=models.PROTECT, related_name="matches", help_text="whose match it is"
    )
    play_until = models.DateTimeField(
        null=True, help_text="from then on bots play for whoever is asked; none: no such end"
    )
    starts_when_full = models.BooleanField(
        _("starts when all seats are taken"), default=True, help_text="otherwise a player starts it by hand"
    )
    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.OPEN)
    ending = models.CharField(_("ending"), max_length=12, choices=Ending, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("opened by"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="opened_matches",
    )
    created_at = models.DateTimeField(_("opened at"))
    joined_at = models.DateTimeField(
        null=True,
        help_text="when somebody last sat down while it waited; none: nobody since it was opened",
    )
    terms_changes = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="how often its host has changed the terms while it waited"
    )
    started_at = models.DateTimeField(_("started at"), null=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)
    rematch_of = models.ForeignKey(
        "self",
        null=True,
        on_delete=models.SET_NULL,
        related_name="rematches",
        help_text="the finished match that its players go on from, each one place further",
    )
    server_part = models.CharField(
        max_length=64, help_text="S of the deal protocol; secret until the match is over"
    )
    commitment = models.CharField(_("commitment"), max_length=64)
    promised_at = models.DateTimeField(
        null=True, help_text="when a fingerprint of the server's part was first shown; none: not noted"
    )
    dealt_by = models.JSONField(
        null=True,
        help_text="of an imported match without parts: `seed`, or `deal` and `first`, and `ages`; "
        "as secret as the seed",
    )
    ply = models.PositiveIntegerField(
        _("moves played"), default=0, help_text="number of moves that are not void"
    )
    position = models.TextField(blank=True, help_text="the state after `ply` moves, by `codec`; secret")

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        constraints = [
            models.UniqueConstraint(
                fields=["rematch_of"], name="match_rematch", condition=~Q(status="cancelled")
            )
        ]
        # Read by lists_page: each list in its order.
        indexes = [
            models.Index(fields=["-created_at"], name="match_waiting", condition=Q(status="open")),
            models.Index(fields=["-started_at"], name="match_running", condition=Q(status="running")),
            models.Index(fields=["-finished_at"], name="match_finished", condition=Q(status="finished")),
            models.Index(fields=["-finished_at"], name="match_cancelled", condition=Q(status="cancelled")),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.game}"

    def get_absolute_url(self) -> str:
        return reverse("match", args=[self.code])

    @property
    def is_offered(self) -> bool:
        """True if this server still has the game; of a removed one only results and records are left."""
        return self.game in registry.GAMES

    @property
    def rules(self) -> Rules[Any, Any, Any]:
        return registry.game(self.game).rules

    @property
    def words(self) -> Words:
        return registry.game(self.game).words if self.is_offered else RemovedWords()

    @property
    def layout(self) -> Layout:
        return registry.game(self.game).layout

    @property
    def title(self) -> str:
        return self.rules.meta.title if self.is_offered else self.game.replace("_", " ").capitalize()

    @property
    def time_control(self) -> TimeControl:
        return TimeControl(self.bank, self.increment, self.cap)

    @property
    def has_banks(self) -> bool:
        """True if what a player leaves of their time is kept for later moves."""
        return not self.time_control.is_per_move

    @property
    def thread(self) -> str:
        """Name of the mail thread of this match."""
        return f"match:{self.pk}"

    @property
    def link_token(self) -> str:
        """The secret part of the link with which anybody may join the table; only its players see it."""
        return signing.reply_token("table", self.pk, self.commitment)

    def read_seats(self) -> list[Seat]:
        """All seats in order with their players, read afresh in one query."""
        return self.adopt(find_seats(match=self.pk))

    def adopt(self, seats: list[Seat]) -> list[Seat]:
        """Make this object the `match` of these seats, and return them."""
        for seat in seats:
            seat.match = self
        return seats

    @property
    def is_open(self) -> bool:
        return self.status == self.Status.OPEN

    @property
    def is_sealed_pace(self) -> bool:
        """True if its contests are resolved from sealed orders."""
        return "pace=sealed" in self.options.split()

    @property
    def is_running(self) -> bool:
        return self.status == self.Status.RUNNING

    @property
    def is_over(self) -> bool:
        return self.status == self.Status.FINISHED


IS_BOTS = ~Q(bot="") | Q(is_away=True)
"""A bot answers for this seat: it holds it, or its player is away."""


IS_ASKED = Q(is_waiting=True, is_away=False)
"""The match waits for this seat, and for its player if one holds it."""


class Seat(models.Model):
    """A place at a table, and its holder: a user or a bot."""

    class Bot(models.TextChoices):
        NONE = "", _("a person")
        RANDOM = "random", _("random bot")
        EASY = "easy", _("easy bot")
        NORMAL = "normal", _("normal bot")
        HARD = "hard", _("hard bot")

    match = models.ForeignKey(
        Match, verbose_name=_("match"), on_delete=models.CASCADE, related_name="seats", db_index=False
    )
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("player"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="seats",
    )
    bot = models.CharField(_("bot"), max_length=8, choices=Bot, default=Bot.NONE, blank=True)
    part = models.CharField(max_length=64, help_text="this seat's part of the seed, hex; public once given")
    part_at = models.DateTimeField(null=True, help_text="when its player gave the part, if so")
    has_agreed = models.BooleanField(
        default=True, db_default=True, help_text="to the terms of the table as they are now"
    )
    is_waiting = models.BooleanField(_("is asked"), default=False, help_text="the match waits for this seat")
    prompt_ply = models.PositiveIntegerField(
        _("move asked for"), default=0, help_text="number of the move that was asked for last; 0: none yet"
    )
    prompted_at = models.DateTimeField(_("asked at"), null=True)
    clock_left = models.DurationField(
        default=timedelta, help_text="the bank when the present prompt was put, or since the last answer"
    )
    due_at = models.DateTimeField(_("due at"), null=True, help_text="when the present prompt runs out")
    remind_at = models.DateTimeField(
        _("next reminder at"), null=True, help_text="when the next reminder is to be sent"
    )
    reminders_sent = models.PositiveSmallIntegerField(default=0, help_text="about the present prompt")
    reminded_for = models.DateTimeField(
        null=True, help_text="the due time of which the last reminder of the present prompt told"
    )
    seen_at = models.DateTimeField(null=True, help_text="when its player last looked at their turn")
    talk_seen = models.BigIntegerField(
        null=True,
        default=0,
        help_text="the newest message of the talk when its player last looked at it; none: not noted yet",
    )
    misses = models.PositiveSmallIntegerField(
        _("misses in a row"), default=0, help_text="prompts that ran out, in a row"
    )
    is_open = models.BooleanField(
        _("open for a substitute"),
        default=False,
        help_text="a bot holds it until a substitute takes it; its player was absent",
    )
    is_away = models.BooleanField(
        default=False,
        db_default=False,
        help_text="its player's time for the whole match is used up; a bot answers until the player is back",
    )
    score = models.SmallIntegerField(null=True)
    rank = models.PositiveSmallIntegerField(null=True)
    token_generation = models.PositiveIntegerField(default=0)
    token_hash = models.CharField(max_length=64, null=True, editable=False)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["index"]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_index"),
            models.UniqueConstraint(fields=["token_hash"], name="seat_token_hash"),
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
            # Read by tasks.play_bots: bots that are to move, the longest waiting first.
            models.Index(
                fields=["prompted_at"], name="seat_bot_waiting", condition=Q(is_waiting=True) & IS_BOTS
            ),
            # Read by selectors.open_seats: seats that a substitute may take.
            models.Index(fields=["match", "index"], name="seat_open", condition=Q(is_open=True)),
            # Read by sitters.mailed_to: seats that wait for a player, by deadline.
            models.Index(fields=["user", "due_at"], name="seat_user_waiting", condition=Q(is_waiting=True)),
        ]

    def __str__(self) -> str:
        return f"{self.match.code} {colon(self.letter)} {self.name}"

    @property
    def letter(self) -> str:
        return seat_letter(self.index)

    @property
    def asks_player(self) -> bool:
        """True if the match waits for the person who plays this seat (`IS_ASKED`)."""
        return self.is_waiting and not self.is_away

    @property
    def bot_level(self) -> str:
        """The strength of the bot that answers for this seat (`IS_BOTS`); empty if its player does."""
        return self.bot or (Seat.Bot.NORMAL if self.is_away else Seat.Bot.NONE)

    @property
    def name(self) -> str:
        """The player's name, or `guest`; a bot is named by its strength.

        `player 3` once the account is gone.
        """
        if self.user:
            return str(_("guest")) if self.user.is_guest else self.user.shown_name
        if self.bot:
            return str(BOT_NAMES[Seat.Bot(self.bot)] % {"letter": self.letter})
        return self.unknown_name

    @property
    def unknown_name(self) -> str:
        """The name of a player of this seat whose account is gone."""
        return _("player %(number)d") % {"number": self.index + 1}

    @property
    def token(self) -> str:
        """The reply token of this seat and its present holder, derived anew each time."""
        return signing.reply_token(*self.token_parts)

    @property
    def token_parts(self) -> tuple[str, int, int, int | None, int]:
        """The values that `token` is derived from."""
        return "seat", self.match_id, self.index, self.user_id, self.token_generation

    def current_token_hash(self) -> str:
        """The right value of `token_hash` for the present holder and generation."""
        return signing.token_hash(self.token)

    @property
    def reply_address(self) -> str:
        """The address to which this seat's player sends moves. For that player's eyes only."""
        return settings.PLAY_REPLY.format(token=self.token)


BOT_NAMES = {
    Seat.Bot.RANDOM: _("random bot %(letter)s"),
    Seat.Bot.EASY: _("easy bot %(letter)s"),
    Seat.Bot.NORMAL: _("normal bot %(letter)s"),
    Seat.Bot.HARD: _("hard bot %(letter)s"),
}
"""The names of bots as whole phrases, which in some languages must fit behind any word of a sentence."""


class DrawnSecret(models.Model):
    """The server's part for the next table that a player opens, drawn before they can give a part of their own."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    server_part = models.CharField(max_length=64, help_text="secret")
    drawn_at = models.DateTimeField()

    class Meta:
        verbose_name = _("drawn secret")
        verbose_name_plural = _("drawn secrets")

    def __str__(self) -> str:
        """Without the secret, because this appears in error reports."""
        return f"{self.user_id} {self.drawn_at:%Y-%m-%d %H:%M}"


find_seats = Prepared(
    lambda: Seat.objects.select_related("user").filter(match=Param("match")).order_by("index")
)
"""All seats of a match in order, each with its player."""


class Move(models.Model):
    """One ply: a seat's move in canonical notation, and its events."""

    class Source(models.TextChoices):
        WEB = "web", _("web")
        MAIL = "mail", _("mail")
        API = "api", _("by a program")
        FORCED = "auto", _("forced")
        PLAN = "plan", _("by plan")
        BOT = "bot", _("bot")
        CLOCK = "clock", _("time ran out")
        MODERATOR = "moderator", _("moderator")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="moves")
    ply = models.PositiveIntegerField(_("number"))
    seat = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=500)
    source = models.CharField(_("way"), max_length=10, choices=Source)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("played by"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    request_id = models.CharField(max_length=80, null=True)
    created_at = models.DateTimeField(_("played at"))
    voided_at = models.DateTimeField(_("void since"), null=True)
    clock_before = models.DurationField(
        null=True, help_text="the seat's bank when it was asked for this move"
    )
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
        """Without the text, which may lie face down: this appears in admin pages and error reports."""
        return f"{self.match.code} {self.ply} {seat_letter(self.seat)}"
