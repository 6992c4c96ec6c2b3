"""Hours and vacations of players."""

from __future__ import annotations

from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _


def validate_time_zone(name: str) -> None:
    """Raise ValidationError for anything but an IANA zone."""
    if name not in available_timezones():
        raise ValidationError(
            _("%(name)s is no time zone; write one like Europe/Paris."), params={"name": name}
        )


class Hours(models.Model):
    """A player's zone and quiet hours, and when they take effect.

    A history: a prompt keeps the hours it was opened under, so that players cannot move an announced due time. Without
    a row, the player lives in the zone of the account, without quiet hours.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="hours")
    effective_at = models.DateTimeField(_("from"))
    time_zone = models.CharField(_("time zone"), max_length=64, validators=[validate_time_zone])
    quiet_start = models.TimeField(_("quiet from"), null=True)
    quiet_end = models.TimeField(_("quiet until"), null=True)

    class Meta:
        verbose_name = _("hours")
        verbose_name_plural = _("hours")
        # Read by accounts.hours.
        indexes = [models.Index(fields=["user", "-effective_at"], name="hours_user_from")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(quiet_start__isnull=True, quiet_end__isnull=True)
                | models.Q(quiet_start__isnull=False, quiet_end__isnull=False),
                name="hours_quiet_both_or_none",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} from {self.effective_at:%Y-%m-%d %H:%M}: {self.time_zone}"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


class Vacation(models.Model):
    """Days on which a player's clocks stand still."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="vacations")
    first = models.DateField(_("first day"))
    last = models.DateField(_("last day"))
    announced_at = models.DateTimeField()
    shortened_at = models.DateTimeField(null=True, help_text="when its player ended it before its last day")
    remind_at = models.DateTimeField(
        null=True,
        help_text="when its player is to be told that it ends; none: decided, or ended by the player",
    )

    class Meta:
        verbose_name = _("vacation")
        verbose_name_plural = _("vacations")
        ordering = ["first"]
        indexes = [
            # Read by matches.timing: days that may be free for an open prompt.
            models.Index(fields=["user", "last"], name="vacation_user_last"),
            # Read by matches.sweeps: vacations whose end is to be told.
            models.Index(
                fields=["remind_at"], name="vacation_remind", condition=models.Q(remind_at__isnull=False)
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(last__gte=models.F("first")), name="vacation_lasts")
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.first} - {self.last}"
