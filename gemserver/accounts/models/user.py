"""The account of a player.

allauth's EmailAddress holds *the* verified addresses; `User.email` is only its primary one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from zoneinfo import ZoneInfo

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models.address import UnreachableAddress
from gemserver.accounts.models.earlier_token import remember_tokens
from gemserver.accounts.models.hours import validate_time_zone
from gemserver.accounts.name_keys import write_keys
from gemserver.accounts.roles import Role
from gemserver.lib import signing
from gemserver.lib.database.prepared import Param, ParamSet, Prepared
from gemserver.lib.text.mail_address import comparable


def default_reminder_minutes() -> list[int]:
    """A day and four hours before the time is up."""
    return [24 * 60, 4 * 60]


class User(AbstractUser):
    """A person who plays, moderates or operates; or a bot, for which its owner answers."""

    class MailMode(models.TextChoices):
        TURNS = "turns", _("a mail whenever it is my turn")
        DIGEST = "digest", _("one mail a day with all my turns")
        OFF = "off", _("no mail")

    class Receipts(models.TextChoices):
        """Which of a player's mails are answered."""

        ALL = "all", _("an answer to each")
        REFUSALS = "refusals", _("only when something was refused, sealed or asked for")
        NONE = "none", _("only when I ask for something")

    UNWANTED = ("bounced", "complained")
    """Reasons why an address gets no mail at all (`UnreachableAddress.why`); opted out, it only gets no invitations."""

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )
    language = models.CharField(_("language"), max_length=8, default="en")
    mail_mode = models.CharField(_("mail"), max_length=8, choices=MailMode, default=MailMode.TURNS)
    digest_at = models.TimeField(
        _("hour of the digest"), null=True, blank=True, help_text="in the player's zone"
    )
    receipts = models.CharField(
        _("answers to my mails"), max_length=8, choices=Receipts, default=Receipts.REFUSALS
    )
    is_named_in_archive = models.BooleanField(
        _("name me in the open archive"), default=False, db_default=False, help_text="otherwise by number"
    )
    next_digest_at = models.DateTimeField(null=True, editable=False)
    snoozed_until = models.DateTimeField(null=True, editable=False, help_text="no mail about turns before")
    reminder_minutes = models.JSONField(
        _("reminders"),
        default=default_reminder_minutes,
        blank=True,
        help_text="minutes of running time that are left at each reminder",
    )
    role = models.PositiveSmallIntegerField(_("role"), choices=Role, default=Role.PLAYER)
    is_guest = models.BooleanField(
        _("guest"), default=False, help_text="tries a match without an account; bound to one browser session"
    )
    owner = models.ForeignKey(
        "self",
        null=True,
        editable=False,
        on_delete=models.CASCADE,
        related_name="bots",
        verbose_name=_("owner"),
        help_text="who answers for this bot; none: a person's account",
    )
    token_generation = models.PositiveIntegerField(default=0)
    token_hash = models.CharField(max_length=64, unique=True, null=True, editable=False)
    feed_generation = models.PositiveIntegerField(default=0)
    feed_token_hash = models.CharField(max_length=64, unique=True, null=True, editable=False)

    class Meta(AbstractUser.Meta):
        verbose_name = _("account")  # type: ignore[assignment]
        verbose_name_plural = _("accounts")  # type: ignore[assignment]
        # Read by matches.sweeps: digests that are due.
        indexes = [
            models.Index(
                fields=["next_digest_at"],
                name="user_digest_due",
                condition=models.Q(next_digest_at__isnull=False),
            ),
            # Read by operating.retention: people who signed up and never came.
            models.Index(
                fields=["date_joined"],
                name="user_never_seen",
                condition=models.Q(last_login__isnull=True),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(owner=None) | models.Q(role=0, is_superuser=False, is_guest=False),
                name="user_bot_has_no_role",
            )
        ]

    @property
    def is_bot(self) -> bool:
        """True for an account that only programs use; it has been one from the first and stays one."""
        return self.owner_id is not None

    @property
    def shown_name(self) -> str:
        """The name as everybody reads it; that of a bot is marked, as no person can mark theirs."""
        return str(_("%(name)s (bot)") % {"name": self.username}) if self.is_bot else self.username

    @property
    def family(self) -> int:
        """The person behind the account: what one of their accounts knows, all of them may know."""
        return self.owner_id or self.pk

    def of_family(self) -> models.QuerySet[User]:
        """The accounts of the person behind this one, their own and their bots: limits count the rows of all.

        An ended bot leaves its rows to its owner (`inbox.erasure`), or ending it would begin the count anew.
        """
        return User.objects.filter(models.Q(pk=self.family) | models.Q(owner=self.family))

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def reminder_leads(self) -> tuple[timedelta, ...]:
        """Running time left at each reminder."""
        return tuple(timedelta(minutes=minutes) for minutes in self.reminder_minutes)

    @property
    def token(self) -> str:
        """The reply token of this account (`me+…`), derived each time."""
        return signing.reply_token(*self.token_parts)

    @property
    def token_parts(self) -> tuple[str, int, int]:
        """The parts that `token` is made of."""
        return "me", self.pk, self.token_generation

    @property
    def feed_token(self) -> str:
        """The secret part of the addresses of this player's calendar and news feed, derived each time."""
        return signing.reply_token(*self.feed_token_parts)

    @property
    def feed_token_parts(self) -> tuple[str, int, int]:
        """The parts that `feed_token` is made of."""
        return "feed", self.pk, self.feed_generation

    def has_role(self, role: Role) -> bool:
        """True if this person may do what `role` may; superusers may do everything."""
        return self.is_active and (self.is_superuser or self.role >= role)

    def save(self, *args: object, **kwargs: object) -> None:
        # `is_staff` is Django's name for access to the admin; `role` decides.
        self.is_staff = self.is_superuser or self.role > Role.PLAYER
        super().save(*args, **kwargs)  # type: ignore[arg-type]
        if not self.is_guest and "username" in (kwargs.get("update_fields") or ["username"]):  # type: ignore[operator]
            write_keys(self.pk, self.username)
        hashes = signing.token_hash(self.token), signing.token_hash(self.feed_token)
        if (self.token_hash, self.feed_token_hash) != hashes:
            # Tokens of another generation are not remembered, as their parts have changed: they are meant to be dead.
            remember_tokens(
                [(self.token_hash, self.token_parts), (self.feed_token_hash, self.feed_token_parts)]
            )
            self.token_hash, self.feed_token_hash = hashes
            super().save(update_fields=["token_hash", "feed_token_hash"])

    def verified_addresses(self) -> frozenset[str]:
        """The addresses, in their comparable form, from which this player may write to us."""
        return frozenset(comparable(address) for (address,) in _verified(user=self.pk))

    def mail_address(self) -> str | None:
        """The address for mail to this player: the primary verified address, else any verified one, else None.

        Those from which mail comes back, or which complained of it, are left out.
        """
        return mail_addresses([self]).get(self.pk)


_verified = Prepared(
    lambda: EmailAddress.objects.filter(user=Param("user"), verified=True).values_list("email")
)


def mail_addresses(users: Collection[User]) -> Mapping[int, str]:
    """Like `User.mail_address`, for several users, in one query: addresses by primary key of those who have one."""
    found: dict[int, str] = {}
    for row in _best_first(users={user.pk for user in users}):
        found.setdefault(row.user_id, row.email)
    return found


def _find_addresses() -> models.QuerySet[EmailAddress]:
    lost = UnreachableAddress.objects.filter(why__in=User.UNWANTED, address=models.OuterRef("email"))
    rows = EmailAddress.objects.filter(~models.Exists(lost), user__in=ParamSet("users"), verified=True)
    return rows.order_by("-primary", "pk").only("user", "email")  # type: ignore[no-any-return]


_best_first = Prepared(_find_addresses)
