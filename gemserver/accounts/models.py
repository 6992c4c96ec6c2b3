"""The account of a player.

allauth's EmailAddress holds *the* verified addresses; `User.email` is only its primary one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.name_keys import write_keys
from gemserver.accounts.roles import Role
from gemserver.lib import signing
from gemserver.lib.mail_address import comparable
from gemserver.lib.prepared import Param, ParamSet, Prepared
from gemserver.lib.times import show_time

LONGEST_ADDRESS = 320
"""Longest sender's address of a mail that is kept; more than RFC 5321 §4.5.3.1 allows."""


def validate_time_zone(name: str) -> None:
    """Raise ValidationError for anything but an IANA zone."""
    if name not in available_timezones():
        raise ValidationError(
            _("%(name)s is no time zone; write one like Europe/Paris."), params={"name": name}
        )


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

    def hours_at(self, at: datetime) -> Hours:
        """The zone and quiet hours of a prompt opened at this instant, which it keeps for good."""
        return hours_at({self: at})[self.pk]

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


class EarlierToken(models.Model):
    """A token made under a former MAIL_KEY, which still leads to its row although that has a new one."""

    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    now_hash = models.CharField(max_length=64, editable=False, help_text="of the token that the row has now")
    key = models.CharField(max_length=16, editable=False, help_text="which key it was made under")

    class Meta:
        verbose_name = _("earlier token")
        verbose_name_plural = _("earlier tokens")
        # Read by remember_tokens: a second change of keys.
        indexes = [models.Index(fields=["now_hash"], name="earlier_token_now")]

    def __str__(self) -> str:
        return f"{self.pk} under {self.key}"


def known_hash(token: str) -> str:
    """The hash under which a row is found by this token, even if it was made under a former key."""
    own = signing.token_hash(token)
    if not settings.MAIL_KEY_FALLBACKS:
        return own
    keys = [signing.key_id(key) for key in settings.MAIL_KEY_FALLBACKS]
    earlier = EarlierToken.objects.filter(token_hash=own, key__in=keys).values_list("now_hash", flat=True)
    return earlier.first() or own


def remember_tokens(rows: Iterable[tuple[str | None, tuple[object, ...]]]) -> int:
    """Remember hashes made under a former key, so that they still lead to their rows; return how many there were.

    `rows`: the stored hash and the parts of its token, of rows that the caller is about to give the hash under the
    present key. Hashes made under no former key are passed over.
    """
    earlier = []
    for stored, parts in rows:
        for key in settings.MAIL_KEY_FALLBACKS:
            if stored == signing.token_hash(signing.reply_token(*parts, under=key)):  # type: ignore[arg-type]
                now = signing.token_hash(signing.reply_token(*parts))  # type: ignore[arg-type]
                earlier.append(EarlierToken(token_hash=stored, now_hash=now, key=signing.key_id(key)))
    following = {row.token_hash: row.now_hash for row in earlier}
    before = list(EarlierToken.objects.filter(now_hash__in=following)) if earlier else []
    for row in before:
        row.now_hash = following[row.now_hash]
    EarlierToken.objects.bulk_update(before, ["now_hash"])
    EarlierToken.objects.bulk_create(earlier, ignore_conflicts=True)
    return len(earlier)


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


class Hours(models.Model):
    """A player's zone and quiet hours, and when they take effect.

    A history: a prompt keeps the hours it was opened under, so that players cannot move an announced due time. Without
    a row, the player lives in the zone of the account, without quiet hours.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="hours")
    effective_at = models.DateTimeField(_("from"))
    time_zone = models.CharField(_("time zone"), max_length=64, validators=[validate_time_zone])
    quiet_start = models.TimeField(_("quiet from"), null=True)
    quiet_end = models.TimeField(_("quiet until"), null=True)

    class Meta:
        verbose_name = _("hours")
        verbose_name_plural = _("hours")
        # Read by User.hours_at.
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


def hours_at(instants: Mapping[User, datetime]) -> Mapping[int, Hours]:
    """Like `User.hours_at`, for several users, in one query: by primary key, each at an instant of their own."""
    return hours_in(hours_of(users=[user.pk for user in instants]) if instants else [], instants)


def hours_in(history: Iterable[Hours], instants: Mapping[User, datetime]) -> Mapping[int, Hours]:
    """Like `hours_at`, from what `hours_of` has found of these users."""
    found = {
        user.pk: Hours(user=user, effective_at=at, time_zone=user.time_zone) for user, at in instants.items()
    }
    latest = {user.pk: at for user, at in instants.items()}
    for row in history:
        if row.effective_at <= latest[row.user_id]:
            found[row.user_id] = row
    return found


hours_of = Prepared(lambda: Hours.objects.filter(user__in=ParamSet("users")).order_by("effective_at", "pk"))


class Vacation(models.Model):
    """Days on which a player's clocks stand still."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="vacations")
    first = models.DateField(_("first day"))
    last = models.DateField(_("last day"))
    announced_at = models.DateTimeField()

    class Meta:
        verbose_name = _("vacation")
        verbose_name_plural = _("vacations")
        ordering = ["first"]
        # Read by matches.timing: days that may be free for an open prompt.
        indexes = [models.Index(fields=["user", "last"], name="vacation_user_last")]
        constraints = [
            models.CheckConstraint(condition=models.Q(last__gte=models.F("first")), name="vacation_lasts")
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.first} - {self.last}"


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


class UnreachableAddress(models.Model):
    """An address to which no mail is sent; its player may ask to try it again."""

    class Reason(models.TextChoices):
        BOUNCED = "bounced", _("mail to it comes back")
        COMPLAINED = "complained", _("its owner marked our mail as unwanted")
        OPTED_OUT = "opted out", _("its owner wants no invitations")

    address = models.EmailField(_("address"), unique=True, help_text="in lower case")
    why = models.CharField(_("why"), max_length=10, choices=Reason)
    since = models.DateTimeField(_("since"))

    class Meta:
        verbose_name = _("unreachable address")
        verbose_name_plural = _("unreachable addresses")

    def __str__(self) -> str:
        return f"{self.address} ({self.get_why_display()})"


class Ban(models.Model):
    """An account that may not be used, or an address that may neither write to us nor get an account."""

    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="bans")
    address = models.CharField(
        _("address"),
        max_length=LONGEST_ADDRESS,
        blank=True,
        help_text="in lower case; for bans of an address",
    )
    note = models.TextField(_("note"), help_text="what the person is told, and how to appeal")
    since = models.DateTimeField(_("since"))
    lifted_at = models.DateTimeField(_("lifted"), null=True)

    class Meta:
        verbose_name = _("ban")
        verbose_name_plural = _("bans")
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


class PersonalToken(models.Model):
    """A key with which a program acts for its owner; only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="personal_tokens")
    name = models.CharField(_("name"), max_length=40)
    scopes = models.CharField(
        _("may"), max_length=40, help_text="words of `tokens.SCOPES`, with blanks between"
    )
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("made"))
    expires_at = models.DateTimeField(_("good until"), null=True, help_text="none: until it is revoked")
    used_on = models.DateField(_("last used"), null=True, help_text="the day, in UTC")

    class Meta:
        verbose_name = _("personal token")
        verbose_name_plural = _("personal tokens")
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="personal_token_name")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.name}"

    @property
    def scope_words(self) -> list[str]:
        return self.scopes.split()


class TokenCount(models.Model):
    """The requests of one token within a minute, as version 1.0 counts them: it may be put back after an upgrade.

    To be taken away with the version after 1.1.
    """

    token = models.OneToOneField(PersonalToken, primary_key=True, on_delete=models.CASCADE, related_name="+")
    minute = models.BigIntegerField(help_text="its number since 1970")
    used = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("requests of a token")
        verbose_name_plural = _("requests of tokens")

    def __str__(self) -> str:
        return f"{self.token_id}: {self.used}"


class RequestCount(models.Model):
    """The requests of one account's programs within the present minute; a table of its own: each request writes it.

    Of the account there is only the number, so that ending a bot does not begin its person's count anew. UNLOGGED on
    PostgreSQL, so that none of them waits for the disk; nothing is lost with it but counts.
    """

    account = models.OneToOneField(
        User, primary_key=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    person = models.ForeignKey(
        User,
        on_delete=models.CASCADE,
        db_constraint=False,
        related_name="+",
        help_text="whose account or bot it is",
    )
    minute = models.BigIntegerField(help_text="its number since 1970")
    used = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("requests of an account")
        verbose_name_plural = _("requests of accounts")

    def __str__(self) -> str:
        return f"{self.account_id}: {self.used}"
