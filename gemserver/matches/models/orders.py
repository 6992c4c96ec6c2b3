"""Orders for later: plans, and sealed orders with the hashes that prove them; and proposals to take moves back.

The texts of orders are for their owners alone. No admin page, export or log may read them; a sealed order is
published in the record when the match is over. What was bid is told when its contest is settled.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.contract import seat_letter
from games.course import Ending, Plan, Sealed
from games.orders import Line, Orders
from gemserver.matches.models.match import Match, Move


def _read_lines(rows: list[list[str]]) -> tuple[Line, ...]:
    return tuple([tuple(row) for row in rows])


class StoredPlan(models.Model):
    """A seat's plan; the row stays when the plan has ended, so that the same mail does not store it twice."""

    class End(models.TextChoices):
        OVER = Ending.OVER, _("its contest is over")
        USED = Ending.USED, _("used")
        DROPPED = Ending.DROPPED, _("nothing in its next line was possible")
        REPLACED = "replaced", _("replaced")
        CLEARED = "cleared", _("cleared")
        UNDONE = "undone", _("a move of it was taken back")
        HANDED_OVER = "handed over", _("the seat changed hands")

    STUCK = (End.DROPPED, End.USED, End.UNDONE)
    """Endings of a plan that has no answer to the next prompt."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="plans")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="its reader",
    )
    lines = models.JSONField(help_text="secret: each line a list of alternatives, in notation")
    used = models.PositiveSmallIntegerField(default=0, help_text="lines that have been played")
    is_always = models.BooleanField(default=False, help_text="it outlives its contest")
    context = models.CharField(
        max_length=60, null=True, help_text="its contest; none: the seat's next turn, whatever that is"
    )
    request_id = models.CharField(max_length=80, null=True)
    source = models.CharField(max_length=10, choices=Move.Source)
    stored_at = models.DateTimeField()
    end = models.CharField(max_length=12, choices=End, blank=True, help_text="how it came to its end, if so")
    ended_ply = models.PositiveIntegerField(null=True, help_text="the moves that had been played by then")

    class Meta:
        verbose_name = _("plan")
        verbose_name_plural = _("plans")
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="plan_of_seat", condition=Q(end="")),
            models.UniqueConstraint(
                fields=["match", "request_id"], name="plan_request", condition=Q(request_id__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        """Without the lines, because this appears in error reports."""
        return f"{self.match_id} {seat_letter(self.seat)} plan"

    @property
    def orders(self) -> Orders:
        return Orders(_read_lines(self.lines), self.is_always, self.used)

    @property
    def plan(self) -> Plan:
        return Plan(self.orders, self.context)


class SealedOrder(models.Model):
    """One version of a seat's order for a contest, or of a sealed pick, with the values that its hash covers.

    A row without a hash means that the seat's time ran out: the default move is played for it.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="sealed_orders", db_index=False)
    seat = models.PositiveSmallIntegerField()
    context = models.CharField(max_length=60)
    version = models.PositiveSmallIntegerField()
    lines = models.JSONField(help_text="secret until the match is over")
    text = models.CharField(max_length=2000, blank=True, help_text="secret: the same as the hash covers it")
    salt = models.CharField(max_length=32, blank=True, help_text="secret until the match is over")
    hash = models.CharField(max_length=64, blank=True, help_text="public from its acceptance")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="its reader",
    )
    source = models.CharField(max_length=10, choices=Move.Source)
    request_id = models.CharField(max_length=80, null=True)
    move = models.OneToOneField(
        Move,
        null=True,
        on_delete=models.CASCADE,
        related_name="sealed_order",
        help_text="the pick it is, if so",
    )
    placed_at = models.DateTimeField()
    clock_before = models.DurationField(null=True, help_text="the seat's bank when it was asked")
    resolved_ply = models.PositiveIntegerField(
        null=True, help_text="the last move of its contest; none while it may be replaced"
    )
    voided_at = models.DateTimeField(null=True, help_text="its contest was taken back, orders are asked anew")

    class Meta:
        verbose_name = _("sealed order")
        verbose_name_plural = _("sealed orders")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["match", "context", "seat", "version"], name="sealed_order_version"
            ),
            models.UniqueConstraint(
                fields=["match", "request_id"],
                name="sealed_order_request",
                condition=Q(request_id__isnull=False),
            ),
        ]
        indexes = [
            # Read by Playing.load: the orders of the open contest.
            models.Index(
                fields=["match", "context"],
                name="sealed_order_open",
                condition=Q(resolved_ply=None, voided_at=None),
            ),
        ]

    def __str__(self) -> str:
        """Without the text, because this appears in error reports."""
        return f"{self.match_id} {seat_letter(self.seat)} {self.context} {self.version}"

    @property
    def orders(self) -> Orders:
        return Orders(_read_lines(self.lines))

    @property
    def sealed(self) -> Sealed:
        return Sealed(self.orders, is_by_plan=self.source == Move.Source.PLAN)


class Undo(models.Model):
    """A proposal to take moves back, put to the others at the table; it lapses once another move is played."""

    class Outcome(models.TextChoices):
        OPEN = "open", _("waiting for consent")
        AGREED = "agreed", _("agreed")
        REFUSED = "refused", _("refused")
        LAPSED = "lapsed", _("the match went on")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="undos")
    seat = models.PositiveSmallIntegerField(help_text="who proposes it")
    first_ply = models.PositiveIntegerField(help_text="the first move to be taken back")
    last_ply = models.PositiveIntegerField(help_text="the last one: the match stood there")
    agreed = models.JSONField(help_text="indexes of the seats that agree, the proposer first")
    proposed_at = models.DateTimeField()
    outcome = models.CharField(max_length=8, choices=Outcome, default=Outcome.OPEN)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("undo")
        verbose_name_plural = _("undos")
        constraints = [
            models.UniqueConstraint(fields=["match"], name="undo_open", condition=Q(outcome="open")),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.first_ply}-{self.last_ply}"
