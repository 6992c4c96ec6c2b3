"""Addresses to which no mail is sent."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class UnreachableAddress(models.Model):
    """An address to which no mail is sent, or no invitations alone; its player may ask to try it again."""

    class Reason(models.TextChoices):
        BOUNCED = "bounced", _("mail to it comes back")
        COMPLAINED = "complained", _("its owner marked our mail as unwanted")
        OPTED_OUT = "opted out", _("its owner wants no invitations")

    address = models.EmailField(_("address"), unique=True, help_text="in lower case")
    why = models.CharField(_("why"), max_length=10, choices=Reason)
    since = models.DateTimeField(_("since"))
    opted_out = models.BooleanField(_("its owner wants no invitations"), default=False, db_default=False)
    """True also while mail to it comes back, which says nothing of what its owner wants."""

    class Meta:
        verbose_name = _("unreachable address")
        verbose_name_plural = _("unreachable addresses")

    def __str__(self) -> str:
        return f"{self.address} ({self.get_why_display()})"
