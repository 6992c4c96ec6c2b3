"""Mail that reached us."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.lib.text.times import show_time


class InboundEmail(models.Model):
    """One mail, stored as it came before it was acknowledged, and its results."""

    class State(models.TextChoices):
        STORED = "stored", _("waiting to be read")
        DONE = "done", _("read and answered")
        REFUSED = "refused", _("read, nothing carried out")
        DROPPED = "dropped", _("neither carried out nor answered")
        HELD = "held", _("waiting for the player's consent")
        UNREADABLE = "unreadable", _("could not be read")

    SERVER_ERROR = "server-error"
    """The code of a mail that the server has failed to read, again and again."""

    key = models.CharField(max_length=64, help_text="the same mail by two routes has the same key")
    copies = models.PositiveIntegerField(_("copies"), default=1, help_text="how often the same mail came")
    raw = models.BinaryField(null=True, help_text="removed after 30 days")
    envelope_from = models.CharField(_("sender on the envelope"), max_length=320, blank=True)
    envelope_to = models.CharField(max_length=320, help_text="in its comparable form")
    source = models.CharField(
        _("came by"), max_length=10, help_text="the way it came: smtp, lmtp, webhook, imap, pipe"
    )
    auth = models.JSONField(
        _("proof of the sender"), default=dict, help_text="what the receiver could prove of the sender"
    )
    received_at = models.DateTimeField(
        _("received at"), help_text="when we accepted it; a reply counts by this"
    )
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.STORED)
    code = models.CharField(
        _("reason"), max_length=40, blank=True, help_text="why it was refused, dropped or held"
    )
    message_id = models.CharField(_("Message-ID"), max_length=250, blank=True)
    sender = models.CharField(_("sender"), max_length=320, blank=True)
    subject = models.CharField(max_length=250, blank=True)
    seat = models.ForeignKey(
        "matches.Seat", verbose_name=_("seat"), null=True, on_delete=models.SET_NULL, related_name="+"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("account"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    results = models.JSONField(default=list, help_text="per line: what was read and what came of it")
    released_at = models.DateTimeField(null=True, help_text="when the player agreed to a mail that was held")
    claimed_until = models.DateTimeField(null=True, help_text="a worker has it until then")
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    processed_at = models.DateTimeField(_("read at"), null=True)

    class Meta:
        verbose_name = _("incoming mail")
        verbose_name_plural = _("incoming mail")
        constraints = [models.UniqueConstraint(fields=["key"], name="inbound_key")]
        indexes = [
            # Read by processing.claim: the next mail to be read, in order of receipt.
            models.Index(fields=["received_at"], name="inbound_stored", condition=models.Q(state="stored")),
            # Read by processing.claim: earlier mail to the same address that still waits.
            models.Index(
                fields=["envelope_to", "received_at"],
                name="inbound_stored_to",
                condition=models.Q(state="stored"),
            ),
            # Read by answers.was_told_today and may_ask_about: recent answers to a player.
            models.Index(fields=["user", "processed_at"], name="inbound_user"),
            # Read by moderation.attention: mail that somebody may have to look at.
            models.Index(
                fields=["state", "received_at"],
                name="inbound_to_look_at",
                condition=models.Q(state__in=["held", "refused", "unreadable"]),
            ),
            # Read by operating: the mails of the last day, and those whose text has been kept too long.
            models.Index(fields=["received_at"], name="inbound_raw", condition=models.Q(raw__isnull=False)),
        ]

    def __str__(self) -> str:
        """Leaves out the subject, which may be a move: this stands in titles of pages and in error reports."""
        return (
            f"{self.sender or self.envelope_from} {show_time(self.received_at)} ({self.get_state_display()})"
        )

    @property
    def counts_from(self) -> datetime:
        """The instant of which it counts: its receipt, or the player's yes to one that was held.

        By then the clock has run, and its writer must play the seat: else one would have some moves held, and go on
        thinking at no cost.
        """
        return self.released_at or self.received_at

    @property
    def request_prefix(self) -> str:
        """The beginning of the request ids of its lines."""
        return f"mail:{self.pk}"


class Ticket(models.Model):
    """Something asked for by mail that is done once, when its code comes back: `confirm CODE`, `erase CODE`.

    The code itself stands only in the mail that asks; the row keeps its hash.
    """

    class Purpose(models.TextChoices):
        SIGN_UP = "sign up", _("a new account, and what was asked for with it")
        RESIGN = "resign", _("to resign a match")
        ERASE = "erase", _("to erase an account")

    purpose = models.CharField(max_length=10, choices=Purpose)
    code_hash = models.CharField(max_length=64, unique=True)
    address = models.EmailField(max_length=254, help_text="in lower case; where the code was sent")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    seat = models.ForeignKey("matches.Seat", null=True, on_delete=models.CASCADE, related_name="+")
    data = models.JSONField(default=dict, help_text="what is to be done: the commands as they were read")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("ticket")
        verbose_name_plural = _("tickets")
        indexes = [
            # Read by sign-up: one question per address and day, and a limited number per hour in all.
            models.Index(fields=["purpose", "address", "created_at"], name="ticket_address"),
            models.Index(fields=["purpose", "created_at"], name="ticket_purpose"),
            # Read by operating.retention: expired codes.
            models.Index(fields=["expires_at"], name="ticket_expires"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.address} {self.created_at:%Y-%m-%d %H:%M}"


class MailCount(models.Model):
    """How often something has happened within its window, for the limits of all receivers together.

    The table is UNLOGGED on PostgreSQL: it is written with every mail, and nothing is lost with it but counts.
    """

    key = models.BigIntegerField(primary_key=True, help_text="a keyed hash of what is counted")
    used = models.PositiveIntegerField()
    ends_at = models.DateTimeField(help_text="from then on counting begins anew")

    class Meta:
        verbose_name = _("count of mails")
        verbose_name_plural = _("counts of mails")
        # Read by operating.retention: windows that are over.
        indexes = [models.Index(fields=["ends_at"], name="mail_count_ends")]

    def __str__(self) -> str:
        return f"{self.key}: {self.used}"
