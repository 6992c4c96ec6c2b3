"""Events: their seasons, divisions, entries and fixtures, and what organisers did.

What a fixture ended with stands in its match, unless it was adjudicated; tables are computed from that each time.
"""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gemserver.clubs.models import Club
from gemserver.matches.models import Match


class Event(models.Model):
    """A league, a tournament or a Swiss event of one game, with its rules. It is closed, never deleted."""

    class Format(models.TextChoices):
        LEAGUE = "league", _("league with promotion and relegation")
        TOURNAMENT = "tournament", _("tournament in groups")
        SWISS = "swiss", _("Swiss tournament")

    slug = models.SlugField(
        _("short name"), max_length=30, unique=True, help_text="in its address and in mails"
    )
    name = models.CharField(_("name"), max_length=60)
    about = models.TextField(_("about the event"), blank=True)
    game = models.CharField(_("game"), max_length=20)
    seats = models.PositiveSmallIntegerField(_("seats"))
    options = models.JSONField(_("options"), default=dict, help_text="those that differ from the default")
    format = models.CharField(_("format"), max_length=10, choices=Format)
    tie_breaks = models.JSONField(_("tie-breaks"), help_text="their names, in the order in which they decide")
    division_size = models.PositiveSmallIntegerField(_("players in a division"), help_text="about so many")
    exchanged = models.PositiveSmallIntegerField(
        _("promoted and relegated"), default=0, help_text="so many go up, and as many down"
    )
    rounds = models.PositiveSmallIntegerField(_("rounds"), default=1, help_text="more than one: Swiss")
    season_days = models.PositiveSmallIntegerField(_("days of a season"))
    entry_days = models.PositiveSmallIntegerField(_("days between seasons"), help_text="for entries")
    is_rated = models.BooleanField(_("rated"), default=True)
    club = models.ForeignKey(
        Club, verbose_name=_("club"), null=True, on_delete=models.PROTECT, related_name="events"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("opened by"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    created_at = models.DateTimeField(_("opened at"))
    closed_at = models.DateTimeField(_("closed at"), null=True)

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(format="swiss") | Q(seats=2), name="event_swiss_has_two_seats"
            ),
            models.CheckConstraint(condition=Q(format="swiss") | Q(rounds=1), name="event_rounds_are_swiss"),
            models.CheckConstraint(
                condition=Q(format="league") | Q(exchanged=0), name="event_promotes_in_a_league"
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class Organiser(models.Model):
    """Somebody who may start, repair and close an event."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="organisers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="organised")
    since = models.DateTimeField()

    class Meta:
        verbose_name = _("organiser")
        verbose_name_plural = _("organisers")
        constraints = [models.UniqueConstraint(fields=["event", "user"], name="event_organiser_once")]

    def __str__(self) -> str:
        return f"{self.event_id} {self.user_id}"


class Season(models.Model):
    """One run of an event, from its entries to its final tables."""

    class State(models.TextChoices):
        ENTERING = "entering", _("open for entries")
        RUNNING = "running", _("running")
        OVER = "over", _("over")
        CANCELLED = "cancelled", _("not played")

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="seasons")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.ENTERING)
    opens_at = models.DateTimeField(help_text="from then on players may enter")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(help_text="it is over then, whatever is still played")
    started_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    secret = models.CharField(
        max_length=64,
        editable=False,
        help_text="secret until the season is over: its deals and lots follow from it",
    )
    commitment = models.CharField(max_length=64, help_text="SHA-256 of the secret, shown from the first")
    lots = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="by which the numbers of players are drawn; made when entries are closed, and shown from then on",
    )

    class Meta:
        verbose_name = _("season")
        verbose_name_plural = _("seasons")
        ordering = ["event", "number"]
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="season_number"),
            models.UniqueConstraint(
                fields=["event"], name="season_one_at_a_time", condition=Q(state__in=["entering", "running"])
            ),
            models.CheckConstraint(
                condition=Q(opens_at__lte=F("starts_at"), starts_at__lt=F("ends_at")), name="season_dates"
            ),
        ]
        indexes = [
            # Read by sweeps.hold_events: seasons whose date has come.
            models.Index(fields=["starts_at"], name="season_to_start", condition=Q(state="entering")),
            models.Index(fields=["ends_at"], name="season_to_close", condition=Q(state="running")),
        ]

    def __str__(self) -> str:
        """Without the secret, because this appears in error reports."""
        return f"{self.event_id} season {self.number}"

    @property
    def key_of_lots(self) -> str:
        """The key by which its lots were drawn; empty until entries are closed.

        Version 1.0 drew by the commitment and wrote no key, also after 1.1 had migrated its tables.
        """
        return self.lots or (self.commitment if self.started_at else "")


class Division(models.Model):
    """Players of one season who play one another. Level 1 is the highest; groups of a tournament are all of level 1."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="divisions")
    level = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField(default=1, help_text="among those of its level")

    class Meta:
        verbose_name = _("division")
        verbose_name_plural = _("divisions")
        ordering = ["season", "level", "number"]
        constraints = [models.UniqueConstraint(fields=["season", "level", "number"], name="division_number")]

    def __str__(self) -> str:
        return f"{self.season_id} {self.level}.{self.number}"


class Entry(models.Model):
    """A player in a season. When an organiser replaces the player, the entry goes on with the other."""

    class Outcome(models.TextChoices):
        STAYS = "stays", _("stays")
        PROMOTED = "promoted", _("promoted")
        RELEGATED = "relegated", _("relegated")

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="entries")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="entries"
    )
    division = models.ForeignKey(Division, null=True, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveSmallIntegerField(null=True, help_text="in the schedule of the division, from 0")
    entered_at = models.DateTimeField()
    part = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="the player's part of the deals"
    )
    part_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
    final_place = models.PositiveSmallIntegerField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        ordering = ["season", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["season", "player"], name="entry_once", condition=Q(player__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["division", "number"], name="entry_number", condition=Q(division__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season_id} {self.player_id}"

    @property
    def is_gone(self) -> bool:
        """True if nobody plays on for this entry but bots: the player withdrew, or erased the account meanwhile.

        Whoever erases it when the season is over keeps the place in its table.
        """
        return self.withdrawn_at is not None or (self.player_id is None and self.final_place is None)


class Replacement(models.Model):
    """An organiser's question to a newcomer: to go on for the player of an entry, who loses it when they agree.

    It counts only while that player has the entry, the season runs, and for some days (`replacements.open_questions`).
    """

    class Outcome(models.TextChoices):
        OPEN = "open", _("asked")
        AGREED = "agreed", _("agreed")
        REFUSED = "refused", _("refused")
        TAKEN_BACK = "taken back", _("taken back")
        LAPSED = "lapsed", _("lapsed")

    # Version 1.0, to which one may go back, erases accounts and knows nothing of this: so there are no constraints.
    entry = models.ForeignKey(
        Entry, on_delete=models.CASCADE, db_constraint=False, related_name="replacements"
    )
    former = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        db_constraint=False,
        related_name="+",
        help_text="who had the entry when the newcomer was asked",
    )
    newcomer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_constraint=False, related_name="replacements"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        db_constraint=False,
        related_name="+",
    )
    reason = models.TextField(_("reason"))
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.OPEN)

    class Meta:
        verbose_name = _("replacement")
        verbose_name_plural = _("replacements")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["entry"], name="replacement_one_at_a_time", condition=Q(outcome="open")
            )
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.newcomer_id} ({self.outcome})"

    @property
    def season(self) -> Season:
        return self.entry.season

    @property
    def former_name(self) -> str:
        return self.former.shown_name if self.former else gettext("a former player")

    @property
    def by_name(self) -> str:
        return self.by.shown_name if self.by else gettext("An organiser")


class Fixture(models.Model):
    """Players who are to play a match, in the turn order of `places`. A bye of a Swiss round has one and no match."""

    division = models.ForeignKey(Division, on_delete=models.CASCADE, related_name="fixtures")
    round = models.PositiveSmallIntegerField(default=1)
    number = models.PositiveSmallIntegerField(help_text="in its round, from 1")
    match = models.OneToOneField(Match, null=True, on_delete=models.PROTECT, related_name="fixture")
    adjudicated_at = models.DateTimeField(null=True, help_text="the ranks of `places` count, not the match's")
    reason = models.TextField(_("reason"), blank=True, help_text="of the adjudication, shown to the event")

    class Meta:
        verbose_name = _("fixture")
        verbose_name_plural = _("fixtures")
        ordering = ["division", "round", "number"]
        constraints = [models.UniqueConstraint(fields=["division", "round", "number"], name="fixture_number")]
        indexes = [
            # Read by sweeps.hold_events: fixtures whose match is yet to be opened.
            models.Index(
                fields=["division"],
                name="fixture_to_open",
                condition=Q(match__isnull=True, adjudicated_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.division_id} {self.round}.{self.number}"


class Place(models.Model):
    """A place in the turn order of a fixture, and who has it."""

    fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="places")
    index = models.PositiveSmallIntegerField(help_text="0 begins; it is the seat in the match")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="places")
    rank = models.PositiveSmallIntegerField(null=True, help_text="by adjudication")

    class Meta:
        verbose_name = _("place in a fixture")
        verbose_name_plural = _("places in fixtures")
        ordering = ["fixture", "index"]
        constraints = [
            models.UniqueConstraint(fields=["fixture", "index"], name="place_index"),
            models.UniqueConstraint(fields=["fixture", "entry"], name="place_entry"),
        ]

    def __str__(self) -> str:
        return f"{self.fixture_id} {self.index}"


class Correction(models.Model):
    """Points that an organiser gave or took, with the reason. It stays; another one may undo it."""

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="corrections")
    points = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        validators=[MinValueValidator(Decimal(-100)), MaxValueValidator(Decimal(100))],
    )
    reason = models.TextField(_("reason"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    request_key = models.CharField(max_length=64, help_text="the same request corrects once")

    class Meta:
        verbose_name = _("correction of points")
        verbose_name_plural = _("corrections of points")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["entry", "request_key"], name="correction_once"),
            models.CheckConstraint(condition=~Q(points=0) & ~Q(reason=""), name="correction_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.points}"


class EventLog(models.Model):
    """A deed in an event: what was done, by whom and why; everybody who may see the event may read it."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="log")
    season = models.ForeignKey(Season, null=True, on_delete=models.CASCADE, related_name="log")
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="none: the server",
    )
    kind = models.CharField(max_length=24)
    data = models.JSONField(default=dict, help_text="numbers of rows, never names, which may have to go")
    reason = models.TextField(_("reason"), blank=True)

    class Meta:
        verbose_name = _("line of an event's log")
        verbose_name_plural = _("lines of events' logs")
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.event_id} {self.kind}"
