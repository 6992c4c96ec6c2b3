"""Invitations to a table, by name or address."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.lib import signing
from gemserver.matches.models.match import Match


class Invitation(models.Model):
    """The offer of a seat at an open table, to a player or to an address that may belong to nobody yet."""

    class State(models.TextChoices):
        OPEN = "open", _("waiting for an answer")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        WITHDRAWN = "withdrawn", _("withdrawn")
        REMOVED = "removed", _("removed from the table")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="invitations")
    address = models.EmailField(_("address"), help_text="in lower case; where the invitation was sent")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="invitations"
    )
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_name = models.BooleanField(default=False, help_text="a player was asked by name, not an address")
    created_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    answered_at = models.DateTimeField(null=True)
    was_removed = models.BooleanField(
        default=False,
        db_default=False,
        help_text="the host has removed the player, maybe before an invitation",
    )

    is_repeat = False
    """True on what `invite` returns when it was open already, so that nothing has changed."""

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.UniqueConstraint(
                fields=["match", "address"], condition=models.Q(by_name=False), name="address_invited_once"
            ),
            models.UniqueConstraint(
                fields=["match", "user"], condition=models.Q(by_name=True), name="player_invited_once"
            ),
        ]
        # Read by actions.invite: a player's recent invitations.
        indexes = [models.Index(fields=["invited_by", "created_at"], name="invitation_sender")]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.address} ({self.state})"

    @property
    def whom(self) -> str:
        """The person invited, as its sender may know them: the player who was named, else the address."""
        return self.user.shown_name if self.by_name and self.user else self.address

    @property
    def token(self) -> str:
        """The secret part of its link, derived anew each time."""
        return signing.reply_token("invitation", self.pk, self.address)
