"""Clubs and their members."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Club(models.Model):
    """People who play among themselves. It is closed, never deleted: what was private stays private."""

    slug = models.SlugField(
        _("short name"), max_length=30, unique=True, help_text="in its address and in mails"
    )
    name = models.CharField(_("name"), max_length=60)
    about = models.TextField(_("about the club"), blank=True)
    is_private = models.BooleanField(
        _("private"), default=False, help_text="what it does is shown to its members alone"
    )
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("club")
        verbose_name_plural = _("clubs")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.slug


class Member(models.Model):
    """A player in a club."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        ORGANISER = "organiser", _("organiser")
        MEMBER = "member", _("member")

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField()

    class Meta:
        verbose_name = _("member of a club")
        verbose_name_plural = _("members of clubs")
        constraints = [models.UniqueConstraint(fields=["club", "user"], name="club_member_once")]

    def __str__(self) -> str:
        return f"{self.club_id} {self.user_id} ({self.role})"
