"""Reply addresses that were replaced."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.matches.models.match import Seat


class FormerAddress(models.Model):
    """A seat's reply address that is dead, known for a while so that its owner can be told so.

    See mail-requirements.md A4.

    While the match runs the row also says who has held the seat, and so may get no other there (`sitters`).
    """

    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="former_addresses")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField(help_text="nobody knows it afterwards")

    class Meta:
        verbose_name = _("former address")
        verbose_name_plural = _("former addresses")
        # Read by operating.retention: what is to be forgotten.
        indexes = [models.Index(fields=["until"], name="former_address_until")]

    def __str__(self) -> str:
        return f"{self.seat_id} until {self.until:%Y-%m-%d}"
