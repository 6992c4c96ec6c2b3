"""The account of a player.

allauth's EmailAddress holds *the* verified addresses; `User.email` is only its primary one.
"""

from __future__ import annotations

from zoneinfo import ZoneInfo, available_timezones

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.lib import signing


def validate_time_zone(name: str) -> None:
    """Raises ValidationError for anything but an IANA zone."""
    if name not in available_timezones():
        raise ValidationError(
            _("%(name)s is no time zone; write one like Europe/Paris."), params={"name": name}
        )


class User(AbstractUser):
    """A person who plays, moderates or operates."""

    class MailMode(models.TextChoices):
        TURNS = "turns", _("a mail whenever it is my turn")
        OFF = "off", _("no mail")

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )
    language = models.CharField(_("language"), max_length=8, default="en")
    mail_mode = models.CharField(_("mail"), max_length=8, choices=MailMode, default=MailMode.TURNS)
    token_generation = models.PositiveIntegerField(default=0)
    token_hash = models.CharField(max_length=64, unique=True, null=True, editable=False)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def token(self) -> str:
        """The reply token of this account (`me+…`), derived anew each time."""
        return signing.reply_token("me", self.pk, self.token_generation)

    def save(self, *args: object, **kwargs: object) -> None:
        super().save(*args, **kwargs)  # type: ignore[arg-type]
        digest = signing.token_hash(self.token)
        if self.token_hash != digest:
            self.token_hash = digest
            super().save(update_fields=["token_hash"])

    def verified_addresses(self) -> frozenset[str]:
        """The addresses, in lower case, from which this player may write to us."""
        rows = EmailAddress.objects.filter(user=self, verified=True)
        return frozenset(address.lower() for address in rows.values_list("email", flat=True))

    def mail_address(self) -> str | None:
        """Where mail to this player goes: the primary verified address, else any verified one, else none."""
        rows = EmailAddress.objects.filter(user=self, verified=True).order_by("-primary", "pk")
        address: str | None = rows.values_list("email", flat=True).first()
        return address
