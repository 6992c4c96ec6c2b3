"""Answers of computer players to whoever asks them about a position. Rows expire (`operating/retention.py`)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from gemserver.matches.models import Match


class Hint(models.Model):
    """A question to a computer player in a practice match, and its answer once the thinker has had time for it."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="hints", db_index=False)
    seat = models.PositiveSmallIntegerField()
    prompt_ply = models.PositiveIntegerField(help_text="the question of the match that it is about")
    taken_back = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="moves that had been taken back in the match, after which the question comes again",
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="hints")
    asked_at = models.DateTimeField(db_index=True)
    is_by_mail = models.BooleanField(default=False, db_default=False, help_text="the answer is mailed")
    done_at = models.DateTimeField(null=True)
    moves = models.JSONField(
        default=list, help_text="the best first: notation, and what it promises from 0 to 100, or null"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["match", "seat", "prompt_ply", "taken_back"], name="hint_of_question"
            )
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


class WhatIf(models.Model):
    """Other moves tried from a position of a finished match (`games.what_if`), at an address that can be shared."""

    match = models.ForeignKey(
        Match, verbose_name=_("match"), on_delete=models.CASCADE, related_name="what_ifs"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("account"), on_delete=models.CASCADE, related_name="what_ifs"
    )
    key = models.CharField(
        max_length=16, unique=True, help_text="in its address, so that nobody finds it who was not told"
    )
    name = models.CharField(_("name"), max_length=60, blank=True)
    ply = models.PositiveIntegerField(help_text="the position of the match with which it begins")
    seat = models.PositiveSmallIntegerField(
        null=True, help_text="played by hand against quick bots; none: all are played by hand"
    )
    seed = models.CharField(max_length=64, help_text="of what chance decides in it")
    moves = models.JSONField(
        default=list, help_text="in the order in which they were tried: before, seat, text, chosen"
    )
    begun_at = models.DateTimeField(_("begun at"))
    changed_at = models.DateTimeField(_("changed at"), db_index=True)

    class Meta:
        verbose_name = _("what-if")
        verbose_name_plural = _("what-ifs")

    def __str__(self) -> str:
        return f"{self.match.code} {self.name}".strip()

    def get_absolute_url(self) -> str:
        return reverse("match-what-if", args=[self.match.code, self.key])
