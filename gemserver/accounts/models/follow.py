"""Players whom other players follow."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models.user import User


class Follow(models.Model):
    """One player follows another, to find their tables; nobody else is shown that, the one who is followed neither."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, db_constraint=False, related_name="follows")
    followed = models.ForeignKey(User, on_delete=models.CASCADE, db_constraint=False, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("follow")
        verbose_name_plural = _("follows")
        constraints = [models.UniqueConstraint(fields=["user", "followed"], name="follow_once")]

    def __str__(self) -> str:
        return f"{self.user_id} follows {self.followed_id}"
