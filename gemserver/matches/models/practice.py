"""Games at which bots offer themselves for practice."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class PracticeOffer(models.Model):
    """A bot account plays this game with whoever wants to practise."""

    bot = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="practice_offers"
    )
    game = models.CharField(_("game"), max_length=20)
    since = models.DateTimeField(_("since"))

    class Meta:
        verbose_name = _("offer to practise")
        verbose_name_plural = _("offers to practise")
        ordering = ["game"]
        constraints = [models.UniqueConstraint(fields=["bot", "game"], name="practice_offer_once")]

    def __str__(self) -> str:
        return f"{self.bot_id} {self.game}"
