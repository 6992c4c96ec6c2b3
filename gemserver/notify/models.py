"""The outbox."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.lib.text.times import show_time


class OutboxMessage(models.Model):
    """One mail to one person: kind and keys of what to tell; the text is written when it is sent."""

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        SENT = "sent", _("sent")
        SKIPPED = "skipped", _("skipped, no longer true")
        FAILED = "failed", _("failed")

    class Route(models.TextChoices):
        MAIL = "mail", _("by mail")
        CHANNEL = "channel", _("by the channel that its reader chose")

    kind = models.CharField(_("kind"), max_length=16)
    to = models.EmailField(_("recipient"), max_length=254)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("account"),
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
    )
    thread = models.CharField(
        _("thread"), max_length=40, help_text="mails of one thread to one address follow one another"
    )
    data = models.JSONField(default=dict)
    """Its key `secret` is for the reader alone, and is dropped once sent."""
    dedup_key = models.CharField(max_length=120)
    message_id = models.CharField(_("Message-ID"), max_length=160)
    in_reply_to = models.CharField(
        _("answer to"), max_length=998, blank=True, help_text="of the mail this one answers, if any"
    )
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.QUEUED)
    created_at = models.DateTimeField(_("created at"))
    available_at = models.DateTimeField(
        _("not before"), help_text="not to be taken by a worker before: a claim, or a retry"
    )
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    last_error = models.TextField(_("last error"), blank=True)
    blames_relay = models.BooleanField(
        default=False, help_text="the last attempt failed before anybody looked at the recipient"
    )
    sent_at = models.DateTimeField(_("sent at"), null=True)
    provider_id = models.CharField(
        _("the provider's Message-ID"),
        max_length=200,
        blank=True,
        help_text="the Message-ID the provider put in its place",
    )
    rendered = models.BinaryField(null=True, help_text="the sent mail; kept for the mail room only")
    sent_words = models.BinaryField(
        null=True,
        help_text="keyed hashes of its words, to know a reply that quotes it; see notify.sent_words",
    )
    route = models.CharField(
        _("way"),
        max_length=8,
        choices=Route,
        blank=True,
        default="",
        db_default="",
        help_text="empty: not decided yet",
    )

    class Meta:
        verbose_name = _("outgoing mail")
        verbose_name_plural = _("outgoing mail")
        # Not `unique=True`, for which Django makes a second index on PostgreSQL, for LIKE, that nothing uses.
        constraints = [
            models.UniqueConstraint(fields=["dedup_key"], name="outbox_dedup_key"),
            models.UniqueConstraint(fields=["message_id"], name="outbox_message_id"),
        ]
        indexes = [
            # Read by delivery.claim: the next mails to be sent.
            models.Index(fields=["available_at"], name="outbox_queued", condition=models.Q(state="queued")),
            # Read by health.is_stalled: the last mail that went out.
            models.Index(fields=["-sent_at"], name="outbox_sent", condition=models.Q(state="sent")),
            # Read by delivery.thread_headers: the first and last mail of a thread to an address; and by queries for a
            # match's mails in any state.
            models.Index(fields=["thread", "to", "id"], name="outbox_by_thread"),
            # Read by moderation.attention: mails that could not be sent.
            models.Index(fields=["id"], name="outbox_failed", condition=models.Q(state="failed")),
            # Read by mailgate.answers.allowance: the number of recent answers.
            models.Index(fields=["kind", "created_at"], name="outbox_kind"),
            # Read by operating.gauges: the mails of the last day by state.
            models.Index(fields=["created_at", "state"], name="outbox_created"),
            # Read by operating.retention: texts kept for too long.
            models.Index(
                fields=["sent_at"], name="outbox_rendered", condition=models.Q(rendered__isnull=False)
            ),
            # Read by operating.retention: words kept for too long.
            models.Index(
                fields=["sent_at"], name="outbox_sent_words", condition=models.Q(sent_words__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.to} {self.kind} ({self.get_state_display()})"


class Channel(models.Model):
    """A way other than mail on which a player may be told: one browser (Web Push), or a hook of theirs."""

    class Kind(models.TextChoices):
        WEB_PUSH = "webpush", _("this device")
        WEBHOOK = "webhook", _("webhook, signed")
        DISCORD = "discord", "Discord"
        SLACK = "slack", "Slack"
        MATRIX = "matrix", "Matrix"
        NTFY = "ntfy", "ntfy"

    class Off(models.TextChoices):
        """Why nothing is sent to it."""

        OWNER = "owner", _("switched off by you")
        GONE = "gone", _("its address is gone")
        FAILING = "failing", _("it took nothing for three days")
        KEY = "key", _("the server's key has changed")

    DIED = (Off.GONE, Off.FAILING, Off.KEY)
    """Ends that nobody has asked for, and that its owner is told of."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="channels")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=40)
    address = models.TextField(editable=False, help_text="encrypted; see notify.channels")
    endpoint_hash = models.CharField(
        max_length=64,
        null=True,
        unique=True,
        editable=False,
        help_text="of a browser's address, to know it again",
    )
    holds_mail = models.BooleanField(default=False, help_text="gets the text of the mail that it replaces")
    is_chosen = models.BooleanField(default=False, help_text="its owner is told by it, while it is on")
    off = models.CharField(max_length=8, choices=Off, blank=True, default="")
    off_at = models.DateTimeField(null=True)
    is_told = models.BooleanField(default=True, help_text="its owner knows that it died")
    generation = models.PositiveIntegerField(default=0, help_text="of the secret with which it signs")
    rotated_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0, help_text="in a row")
    failing_since = models.DateTimeField(null=True)
    next_try_at = models.DateTimeField(null=True)
    claimed_until = models.DateTimeField(null=True, help_text="a worker calls it, and no other before then")
    last_fault = models.CharField(
        max_length=16, blank=True, default="", help_text="a status, or a code of lib.outbound"
    )
    last_success_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("channel")
        verbose_name_plural = _("channels")
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="channel_name")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind} {self.pk}"

    @property
    def is_on(self) -> bool:
        return not self.off


class DeliveryEvent(models.Model):
    """News of a mail after it was handed over: from the provider, or from a returned mail."""

    class Kind(models.TextChoices):
        DELIVERED = "delivered", _("delivered")
        SOFT_BOUNCE = "soft bounce", _("not delivered for now")
        HARD_BOUNCE = "hard bounce", _("cannot be delivered")
        REJECTED = "rejected", _("refused by the provider")
        COMPLAINED = "complained", _("marked as unwanted")

    message = models.ForeignKey(
        OutboxMessage,
        verbose_name=_("outgoing mail"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="delivery_events",
        db_constraint=False,  # ids of a divided table are not unique for PostgreSQL
    )
    address = models.EmailField(_("address"), max_length=254, help_text="in lower case")
    kind = models.CharField(_("kind"), max_length=12, choices=Kind)
    at = models.DateTimeField(_("when"))
    source = models.CharField(_("reported by"), max_length=20, help_text="the provider's name, or `dsn`")
    key = models.CharField(max_length=200, unique=True, help_text="the same report counts once")
    detail = models.TextField(
        _("details"), blank=True, help_text="status code and text of the report, shortened"
    )

    class Meta:
        verbose_name = _("delivery event")
        verbose_name_plural = _("delivery events")
        indexes = [
            # Read by bounce scores: recent returns from an address.
            models.Index(fields=["address", "at"], name="delivery_event_address"),
            # Read by operating.gauges and retention: reports by age.
            models.Index(fields=["at", "kind"], name="delivery_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.address} {self.get_kind_display()} {show_time(self.at)}"
