"""The database tables of ratings.

They follow from matches, moves, seats, departures and voided results, and are computed anew whenever these change
(`rebuilding`); only whose a seat was stays here when an account is erased.
"""

from __future__ import annotations

from secrets import token_hex

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.contract import seat_letter
from games.ratings import Belief
from gemserver.clubs.models import Club
from gemserver.matches.models import Match
from gemserver.ratings.statistics_models import CountedMatch as CountedMatch
from gemserver.ratings.statistics_models import GameTally as GameTally
from gemserver.ratings.statistics_models import PlayedMatch as PlayedMatch


class Pool(models.Model):
    """The matches of one game that are rated together: all public ones, or those of one private club.

    Its row is the lock of everything that is rated in it.
    """

    club = models.ForeignKey(
        Club, null=True, on_delete=models.CASCADE, related_name="+", help_text="none: the public matches"
    )
    game = models.CharField(_("game"), max_length=20)
    stale_from = models.DateTimeField(
        null=True, help_text="matches that finished then or later are to be rated again; none: all is well"
    )

    class Meta:
        verbose_name = _("pool of ratings")
        verbose_name_plural = _("pools of ratings")
        constraints = [
            models.UniqueConstraint(fields=["game"], name="pool_public", condition=Q(club=None)),
            models.UniqueConstraint(fields=["club", "game"], name="pool_of_club"),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.club_id or 'public'}"


def new_pseudonym() -> str:
    """A name that tells nothing; drawn by lot rather than derived, so that it outlives the server's keys."""
    return token_hex(6)


class Contender(models.Model):
    """A player as ratings know them; without an account once that is erased, so that the others' ratings stay right."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="contender"
    )
    is_bot = models.BooleanField(_("bot"), default=False)
    pseudonym = models.CharField(
        max_length=12, default=new_pseudonym, help_text="in the public list of results; lasts for good"
    )

    class Meta:
        verbose_name = _("rated player")
        verbose_name_plural = _("rated players")
        constraints = [models.UniqueConstraint(fields=["pseudonym"], name="contender_pseudonym")]

    def __str__(self) -> str:
        return f"{self.pk} ({self.user_id or 'erased'})"


class Rating(models.Model):
    """The present belief about a player's strength; a cache of their last change."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="ratings", db_index=False)
    contender = models.ForeignKey(Contender, on_delete=models.CASCADE, related_name="ratings")
    mu = models.FloatField()
    sigma = models.FloatField()
    matches = models.PositiveIntegerField(_("matches"), help_text="rated matches of this player")
    last_at = models.DateTimeField(_("last match"), help_text="when the last of them finished")

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        constraints = [models.UniqueConstraint(fields=["pool", "contender"], name="rating_once")]
        # Read by selectors.leaderboard.
        indexes = [models.Index(fields=["pool", "-mu"], name="rating_best_first")]

    def __str__(self) -> str:
        return f"{self.contender_id} in {self.pool_id}: {self.belief.number}"

    @property
    def belief(self) -> Belief:
        return Belief(self.mu, self.sigma)


class RatedMatch(models.Model):
    """A finished match that wished to be rated: whether it was, and if not, why."""

    class Refusal(models.TextChoices):
        NONE = "", _("rated")
        VOIDED = "voided", _("taken out by a moderator")
        ADJUDICATED = "adjudicated", _("broken off")
        GUEST = "guest", _("a guest played")
        BOT = "bot", _("a bot played among people")
        ONE_HAND = "one-hand", _("two seats of one person")
        UNEQUAL = "unequal", _("unequal seats")
        HANDED_OVER = "handed-over", _("seats handed over by a moderator")
        REMOVED = "removed", _("accounts erased")
        ABORTED = "aborted", _("fewer than two players ever moved")
        TOO_SHORT = "too-short", _("resigned too early")

    match = models.OneToOneField(
        Match, verbose_name=_("match"), on_delete=models.CASCADE, related_name="rated"
    )
    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="matches", db_index=False)
    finished_at = models.DateTimeField(
        _("finished at"), help_text="of the match; with its number the order of rating"
    )
    refusal = models.CharField(_("not rated because"), max_length=12, choices=Refusal, blank=True)

    class Meta:
        verbose_name = _("rated match")
        verbose_name_plural = _("rated matches")
        # Read by rebuilding, in the order of rating.
        indexes = [models.Index(fields=["pool", "finished_at", "match"], name="rated_match_order")]

    def __str__(self) -> str:
        return self.match.code


class RatingChange(models.Model):
    """A change that a match made for the player who counts for one of its seats."""

    class Why(models.TextChoices):
        PLAYED = "played", _("played to the end")
        TIME = "time", _("lost the seat when time ran out")
        RESIGNED = "resigned", _("resigned")
        ABSENT = "absent", _("was absent at the end")

    match = models.ForeignKey(
        Match,
        verbose_name=_("match"),
        on_delete=models.CASCADE,
        related_name="rating_changes",
        db_index=False,
    )
    seat = models.PositiveSmallIntegerField(_("seat"), help_text="its index")
    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="+", db_index=False)
    contender = models.ForeignKey(Contender, on_delete=models.CASCADE, related_name="changes", db_index=False)
    finished_at = models.DateTimeField(
        _("finished at"), help_text="of the match; with its number the order of rating"
    )
    place = models.PositiveSmallIntegerField(_("place"), help_text="as rated: who left is last")
    why = models.CharField(_("reason"), max_length=8, choices=Why)
    absent_since = models.DateTimeField(
        _("absent since"),
        null=True,
        help_text="the last thing that the player did anywhere before they lost by absence",
    )
    is_spared = models.BooleanField(
        _("spared"),
        default=False,
        help_text="nothing changes, as the same absence has lowered the rating before",
    )
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu_after = models.FloatField()
    sigma_after = models.FloatField()

    class Meta:
        verbose_name = _("change of a rating")
        verbose_name_plural = _("changes of ratings")
        ordering = ["finished_at", "match", "seat"]
        constraints = [models.UniqueConstraint(fields=["match", "seat"], name="rating_change_once")]
        indexes = [
            # Read by selectors.curve, and by rebuilding: a player's last change before a match.
            models.Index(fields=["contender", "pool", "finished_at", "match"], name="rating_change_of"),
            # Read by rebuilding and the public list of results, in the order of rating.
            models.Index(fields=["pool", "finished_at", "match", "seat"], name="rating_change_order"),
        ]

    def __str__(self) -> str:
        return f"{self.match.code} {seat_letter(self.seat)}"

    @property
    def before(self) -> Belief:
        return Belief(self.mu_before, self.sigma_before)

    @property
    def after(self) -> Belief:
        return Belief(self.mu_after, self.sigma_after)


class VoidedResult(models.Model):
    """A moderator's decision that a finished match does not count for ratings."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="voided_result")
    why = models.TextField(_("why"), help_text="shown to the table")
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("voided result")
        verbose_name_plural = _("voided results")

    def __str__(self) -> str:
        return f"{self.match_id} {self.at:%Y-%m-%d %H:%M}"
