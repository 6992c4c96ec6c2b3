"""Statistics of finished public matches, as rows: what each player did in them, and how each game goes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.matches.models import Match


class CountedMatch(models.Model):
    """A finished match that the statistics have taken in; one of a private club or a guest is taken in as nothing."""

    match = models.OneToOneField(
        Match, on_delete=models.CASCADE, primary_key=True, related_name="counted", help_text="which"
    )
    finished_at = models.DateTimeField()
    is_public = models.BooleanField(help_text="it counts; if not, it has neither results nor tallies")
    tally = models.JSONField(default=list, help_text="what it added to the tallies: kind, key, count, wins")

    class Meta:
        verbose_name = _("counted match")
        verbose_name_plural = _("counted matches")
        indexes = [
            # Read by counting.find_uncounted: the last match that was taken in.
            models.Index(fields=["-finished_at"], name="counted_last"),
            # Read by counting.find_changed: matches that may have become public.
            models.Index(fields=["match"], name="counted_hidden", condition=models.Q(is_public=False)),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {'public' if self.is_public else 'not public'}"


class PlayedMatch(models.Model):
    """One player in one finished public match: place, points, and how long they took to answer.

    Somebody who lost or gave up the seat has one too, without rank and points.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="played_matches", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="played_matches", db_index=False
    )
    game = models.CharField(max_length=20)
    seat_count = models.PositiveSmallIntegerField()
    place = models.PositiveSmallIntegerField(
        null=True, help_text="in turn order: 1 began; none where all decide at once"
    )
    rank = models.PositiveSmallIntegerField(
        null=True, help_text="none: they did not hold the seat at the end"
    )
    score = models.SmallIntegerField(null=True)
    above_mean = models.FloatField(null=True, help_text="points above the mean of the table")
    answers = models.PositiveIntegerField(default=0, help_text="questions that they answered themselves")
    times = models.JSONField(default=dict, help_text="how many of them by class of time (`answer_times`)")
    timeouts = models.PositiveIntegerField(default=0, help_text="questions at which their time ran out")
    lost_seat = models.BooleanField(default=False, help_text="a bot took the seat because they were absent")
    finished_at = models.DateTimeField()

    class Meta:
        verbose_name = _("played match")
        verbose_name_plural = _("played matches")
        constraints = [models.UniqueConstraint(fields=["match", "user"], name="played_match_once")]
        indexes = [
            # Read by statistics.PlayerStatistics: a player's matches, the newest first.
            models.Index(fields=["user", "-finished_at"], name="played_match_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.user_id}"


class GameTally(models.Model):
    """How often something has happened in the public matches of a game with so many seats."""

    class Kind(models.TextChoices):
        PLACE = "place", _("won from this place in turn order")
        PLIES = "plies", _("lasted so many moves")
        DAYS = "days", _("lasted so many days")
        OPENING = "opening", _("began with this move")

    game = models.CharField(max_length=20)
    seat_count = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    key = models.CharField(max_length=60)
    count = models.PositiveIntegerField(default=0)
    wins = models.BigIntegerField(
        default=0, help_text="in parts of 840, so that a shared win is divided evenly"
    )

    class Meta:
        verbose_name = _("tally of a game")
        verbose_name_plural = _("tallies of games")
        constraints = [
            models.UniqueConstraint(fields=["game", "seat_count", "kind", "key"], name="game_tally_once")
        ]
        indexes = [
            # Read by statistics.GameStatistics: the most frequent first moves.
            models.Index(
                fields=["game", "seat_count", "-count"],
                name="game_tally_openings",
                condition=models.Q(kind="opening"),
            )
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.seat_count} {self.kind} {self.key}: {self.count}"
