"""Answers of computer players to whoever asks them about a position. Rows expire (`operating/retention.py`)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from gemserver.matches.models import Match


class Hint(models.Model):
    """A question to a computer player in a practice match, and its answer once the thinker has had time for it."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="hints", db_index=False)
    seat = models.PositiveSmallIntegerField()
    prompt_ply = models.PositiveIntegerField(help_text="the question of the match that it is about")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="hints")
    asked_at = models.DateTimeField(db_index=True)
    is_by_mail = models.BooleanField(default=False, db_default=False, help_text="the answer is mailed")
    done_at = models.DateTimeField(null=True)
    moves = models.JSONField(
        default=list, help_text="the best first: notation, and what it promises from 0 to 100, or null"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "seat", "prompt_ply"], name="hint_of_question")
        ]
        # Read by study.hints.think_of_all: those that wait for the thinker.
        indexes = [models.Index(fields=["asked_at"], name="hint_waiting", condition=Q(done_at=None))]

    def __str__(self) -> str:
        return f"{self.match_id} {self.seat} {self.prompt_ply}"

    @property
    def is_done(self) -> bool:
        return self.done_at is not None


class Review(models.Model):
    """A look back at a finished match, position by position; the thinker goes on with it piece by piece."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="review")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="reviews",
        help_text="who asked for it first; for the limit",
    )
    readers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="awaited_reviews", help_text="get it by mail once it is done"
    )
    asked_at = models.DateTimeField(db_index=True)
    done_at = models.DateTimeField(null=True)
    reached = models.PositiveIntegerField(default=0, help_text="positions that are done")
    plies = models.JSONField(
        default=list, help_text="of each: `known` and `true`, 0 to 100 by seat, and `move` or null"
    )

    class Meta:
        # Read by study.reviews.go_on: those that wait for the thinker.
        indexes = [models.Index(fields=["asked_at"], name="review_waiting", condition=Q(done_at=None))]

    def __str__(self) -> str:
        return f"{self.match_id}"

    @property
    def is_done(self) -> bool:
        return self.done_at is not None and self.reached > 0

    @property
    def is_given_up(self) -> bool:
        """True if the game has failed; the row is kept, because it counts for the limit."""
        return self.done_at is not None and not self.reached
