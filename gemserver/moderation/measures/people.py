"""What moderators do about people and their addresses."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.accounts import bans
from gemserver.accounts.models import Ban, UnreachableAddress, User
from gemserver.accounts.roles import Role
from gemserver.matches.actions.reachability import try_address_again
from gemserver.matches.refusal import Refused
from gemserver.moderation.mails import tell_banned
from gemserver.moderation.measures.contract import Choices, Done, Measure, MeasureForm, Order, Target


class BanForm(MeasureForm):
    note = forms.CharField(
        label=_("What the person is told"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Why, and whom to write to who thinks it is wrong."),
    )


def _ban(order: Order, user: User, choices: Choices) -> Done:
    if user.role >= order.moderator.role and not order.moderator.is_superuser:
        raise Refused(
            "no-role", "Only somebody of a higher role can shut this account; ask an administrator."
        )
    ban = bans.ban_user(user, choices["note"], now=order.now)
    tell_banned(ban, now=order.now)
    return Done(user.username, {"note": choices["note"]})


def _lift(order: Order, user: User, choices: Choices) -> Done:
    ban = bans.ban_of(user)
    if ban is None:
        raise Refused("no-ban", "This account is open already.")
    bans.lift(ban, now=order.now)
    return Done(user.username)


def _ban_address(order: Order, address: str, choices: Choices) -> Done:
    bans.ban_address(address, choices["note"], now=order.now)
    return Done(address, {"note": choices["note"]})


def _lift_address(order: Order, address: str, choices: Choices) -> Done:
    ban = bans.ban_of_address(address)
    if ban is None:
        raise Refused("no-ban", "This address is open already.")
    bans.lift(ban, now=order.now)
    return Done(address)


def _try_again(order: Order, address: str, choices: Choices) -> Done:
    try_address_again(address, now=order.now)
    return Done(address)


def _itself(user: User) -> User:
    return user


def _owner(address: str) -> User | None:
    row = EmailAddress.objects.select_related("user").filter(email__iexact=address, verified=True).first()
    owner: User | None = row.user if row else None
    return owner


def _is_banned(address: str) -> bool:
    return Ban.objects.filter(address=address.lower(), lifted_at=None).exists()


BAN = Measure(
    "ban",
    _("Shut the account"),
    Target.PLAYER,
    Role.MODERATOR,
    _ban,
    person_of=_itself,
    form=BanForm,
    warning=_("The seats stay as they are: open them, or give them to others, one by one."),
    applies=lambda user: bans.ban_of(user) is None,
)
LIFT_BAN = Measure(
    "lift-ban",
    _("Open the account again"),
    Target.PLAYER,
    Role.MODERATOR,
    _lift,
    person_of=_itself,
    applies=lambda user: bans.ban_of(user) is not None,
)
BAN_ADDRESS = Measure(
    "ban-address",
    _("Take no mail from the address"),
    Target.ADDRESS,
    Role.MODERATOR,
    _ban_address,
    person_of=_owner,
    form=BanForm,
    applies=lambda address: not _is_banned(address),
)
LIFT_ADDRESS = Measure(
    "lift-address",
    _("Take mail from the address again"),
    Target.ADDRESS,
    Role.MODERATOR,
    _lift_address,
    person_of=_owner,
    applies=_is_banned,
)
TRY_ADDRESS = Measure(
    "try-address",
    _("Send mail to the address again"),
    Target.ADDRESS,
    Role.HELPER,
    _try_again,
    person_of=_owner,
    applies=lambda address: UnreachableAddress.objects.filter(address=address.lower()).exists(),
)
