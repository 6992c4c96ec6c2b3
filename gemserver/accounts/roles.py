"""Roles: rights beyond playing."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.IntegerChoices):
    """Each role includes the ones before it; all but the first may enter the moderators' pages."""

    PLAYER = 0, _("player")
    HELPER = 1, _("helper")
    MODERATOR = 2, _("moderator")
    ADMINISTRATOR = 3, _("administrator")
