"""The puzzle of the day: the puzzles that were found or brought by a game, the answers to them, and who gets them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from games.registry import game
from gemserver.matches.models import Match


class StoredPuzzle(models.Model):
    """A puzzle: in stock, or put on its day, which it keeps for good.

    One of this server's own matches names the match: nothing of it is kept twice, so that a name which is erased there
    stands nowhere else, and so that the match is asked each time whether it may be looked back at.
    """

    key = models.CharField(
        max_length=16, unique=True, help_text="the same for the same question (games.puzzle)"
    )
    game = models.CharField(_("game"), max_length=20)
    day = models.DateField(_("day"), null=True, unique=True, help_text="on which it is put; none: in stock")
    match = models.ForeignKey(
        Match,
        null=True,
        on_delete=models.CASCADE,
        related_name="puzzles",
        help_text="in which it arose; none: the game brought it",
    )
    ply = models.PositiveIntegerField(help_text="moves of the match before it")
    seat = models.PositiveSmallIntegerField()
    record = models.TextField(blank=True, help_text="up to the position; empty where there is a match")
    best = models.CharField(max_length=500)
    worths = models.JSONField(help_text="moves with what a bot expects of them, 0 to 100, the best first")
    simulations = models.PositiveIntegerField()
    seeds = models.JSONField(help_text="of the searches in which it was found")

    class Meta:
        verbose_name = _("puzzle")
        verbose_name_plural = _("puzzles")
        # Read by puzzles.days: what is in stock.
        indexes = [
            models.Index(fields=["game", "id"], name="puzzle_in_stock", condition=models.Q(day__isnull=True))
        ]

    def __str__(self) -> str:
        return f"{self.day or '-'} {self.game} {self.key}"

    def get_absolute_url(self) -> str:
        assert self.day is not None
        return reverse("puzzle", args=[self.day.isoformat()])

    @property
    def title(self) -> str:
        """The title of its game."""
        return game(self.game).rules.meta.title


class Answer(models.Model):
    """The one answer of a player to the puzzle of a day, given while it was the day's."""

    puzzle = models.ForeignKey(StoredPuzzle, on_delete=models.CASCADE, related_name="answers", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="puzzle_answers"
    )
    move = models.CharField(max_length=500, help_text="in notation")
    is_right = models.BooleanField()
    at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("answer to a puzzle")
        verbose_name_plural = _("answers to puzzles")
        constraints = [models.UniqueConstraint(fields=["puzzle", "user"], name="answer_to_puzzle")]

    def __str__(self) -> str:
        return f"{self.puzzle_id} {self.user_id}"


class Subscription(models.Model):
    """Somebody who wants the puzzle of the day sent, in the morning of their zone."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="puzzle_subscription"
    )
    since = models.DateTimeField()
    next_at = models.DateTimeField(db_index=True, help_text="when the next one is sent")

    class Meta:
        verbose_name = _("subscription of puzzles")
        verbose_name_plural = _("subscriptions of puzzles")

    def __str__(self) -> str:
        return f"{self.user_id}"


class Search(models.Model):
    """A finished match that was looked through for a puzzle, and how far; so that none is looked through twice."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="puzzle_search")
    reached = models.PositiveIntegerField(default=0, help_text="moves behind which it goes on")
    done_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("search for puzzles")
        verbose_name_plural = _("searches for puzzles")

    def __str__(self) -> str:
        return f"{self.match_id} {self.reached}"
