"""Bans by moderators, and blocks between players."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models.user import User
from gemserver.lib.text.times import show_time

LONGEST_ADDRESS = 320
"""Longest sender's address of a mail that is kept; more than RFC 5321 §4.5.3.1 allows."""


class Block(models.Model):
    """One player blocks another: no messages are shown or sent between them, and no invitations."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("block")
        verbose_name_plural = _("blocks")
        constraints = [models.UniqueConstraint(fields=["user", "blocked"], name="block_once")]

    def __str__(self) -> str:
        return f"{self.user_id} blocks {self.blocked_id}"


class Ban(models.Model):
    """An account that may not be used, or an address that may neither write to us nor get an account."""

    user = models.ForeignKey(
        User, verbose_name=_("account"), null=True, on_delete=models.CASCADE, related_name="bans"
    )
    address = models.CharField(
        _("address"),
        max_length=LONGEST_ADDRESS,
        blank=True,
        help_text="in lower case; for bans of an address",
    )
    note = models.TextField(_("note"), help_text="what the person is told, and how to appeal")
    since = models.DateTimeField(_("since"))
    until = models.DateTimeField(_("until"), null=True, help_text="none: until a moderator lifts it")
    lifted_at = models.DateTimeField(_("lifted"), null=True)

    class Meta:
        verbose_name = _("ban")
        verbose_name_plural = _("bans")
        indexes = [
            # Read by moderation.timed_bans: bans that are over.
            models.Index(
                fields=["until"],
                name="ban_until",
                condition=models.Q(until__isnull=False, lifted_at__isnull=True),
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False, address="")
                | (models.Q(user__isnull=True) & ~models.Q(address="")),
                name="ban_of_user_or_address",
            ),
            models.UniqueConstraint(
                fields=["user"], name="ban_of_user_now", condition=models.Q(lifted_at__isnull=True)
            ),
            models.UniqueConstraint(
                fields=["address"],
                name="ban_of_address_now",
                condition=models.Q(lifted_at__isnull=True) & ~models.Q(address=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user or self.address} {show_time(self.since)}"

    @property
    def told(self) -> str:
        """The moderators' note and the end of the ban, for its person, in the active language and zone."""
        if self.until is None:
            return self.note
        until = date_format(timezone.localtime(self.until), "j M Y H:i T")
        return "\n\n".join((self.note, gettext("This ends by itself on %(until)s.") % {"until": until}))


class Mute(models.Model):
    """A time in which a player may write nothing that others read; they play on."""

    # Version 1.0, to which one may go back, erases accounts and knows nothing of mutes: so there is no constraint.
    user = models.ForeignKey(
        User, verbose_name=_("account"), on_delete=models.CASCADE, db_constraint=False, related_name="mutes"
    )
    note = models.TextField(_("note"), help_text="what the person is told, and how to appeal")
    since = models.DateTimeField(_("since"))
    until = models.DateTimeField(_("until"))
    lifted_at = models.DateTimeField(_("lifted"), null=True)

    class Meta:
        verbose_name = _("mute")
        verbose_name_plural = _("mutes")
        indexes = [
            # Read by moderation.timed_bans: mutes that are over.
            models.Index(fields=["until"], name="mute_until", condition=models.Q(lifted_at__isnull=True))
        ]

    def __str__(self) -> str:
        return f"{self.user} {show_time(self.since)}"
