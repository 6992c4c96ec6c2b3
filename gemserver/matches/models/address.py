"""Reply addresses that were replaced."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.matches.models.match import Seat


class FormerAddress(models.Model):
    """A dead reply address of a seat, kept for a while so that its owner can be told that it is dead.

    See mail-requirements.md A4.

    While the match runs the row also records that its owner has held the seat, or sat in it, and so may take no other
    (`sitters`).
    """

    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="former_addresses")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField(help_text="nobody knows it afterwards")

    class Meta:
        verbose_name = _("former address")
        verbose_name_plural = _("former addresses")
        # Read by operating.retention: addresses to be forgotten.
        indexes = [models.Index(fields=["until"], name="former_address_until")]

    def __str__(self) -> str:
        return f"{self.seat_id} until {self.until:%Y-%m-%d}"
