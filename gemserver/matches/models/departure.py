"""Players who gave up a seat, or lost it, while the match went on."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.matches.models.match import Seat


class Departure(models.Model):
    """A person left a seat of a running match to a bot or to another person.

    Ratings read it: the seat counts for who left it, not for who played on. It stays when the match is over.
    """

    class Why(models.TextChoices):
        TIME = "time", _("time ran out")
        RESIGNED = "resigned", _("resigned")
        MODERATOR = "moderator", _("a moderator gave the seat to another")

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="departures")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="departures"
    )
    why = models.CharField(_("why"), max_length=10, choices=Why)
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("departure")
        verbose_name_plural = _("departures")
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.seat_id} {self.why} {self.at:%Y-%m-%d %H:%M}"
