"""Moderators' actions on people and their addresses; no table is shown the reasons."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.accounts import bans, mutes
from gemserver.accounts.addresses import verified_rows
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.roles import Role
from gemserver.events.selectors import run_by_nobody
from gemserver.lib import clock
from gemserver.lib.text.mail_address import comparable
from gemserver.matches.actions.people.shut_account import reopen_account, shut_account
from gemserver.matches.actions.people.try_address_again import try_address_again
from gemserver.matches.refusal import Refused
from gemserver.moderation.actions.action import Action, ActionForm, ActionRequest, Changed, Choices
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.actions.told_text_field import ToldTextField
from gemserver.moderation.mails import tell_banned, tell_muted, tell_reopened

LONGEST_BAN = timedelta(days=366)
"""Of a ban that ends by itself."""


class BanForm(ActionForm):
    note = ToldTextField(
        label=_("What the person is told"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Why, and whom to write to if they think it is wrong."),
    )
    until = forms.DateField(
        label=_("Until the beginning of this day (UTC)"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_(
            "It ends by itself then, and the person is told so now. Empty: until a moderator ends it."
        ),
    )

    def clean_until(self) -> datetime | None:
        """The instant. Raises ValidationError for one that is past, or too far away."""
        day: date | None = self.cleaned_data["until"]
        if day is None:
            return None
        until = datetime.combine(day, time.min, tzinfo=UTC)
        if not clock.now() < until <= clock.now() + LONGEST_BAN:
            raise forms.ValidationError(_("Give a day after today and within a year, or none."))
        return until


def _told_until(choices: Choices) -> Changed:
    """For the audit log."""
    until = choices.get("until")
    return {"until": until.isoformat()} if until else {}


def _ban(asked: ActionRequest, user: User, choices: Choices) -> Changed:
    _require_above(asked.moderator, user)
    ban = shut_account(user, choices["note"], until=choices.get("until"), now=asked.now)
    tell_banned(ban, now=asked.now)
    events = [event.slug for event in run_by_nobody(user)]
    abandoned = {"events without an organiser": ", ".join(events)} if events else {}
    return {"note": choices["note"], **_told_until(choices), **abandoned}


class MuteForm(BanForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["until"].required = True
        self.fields["until"].help_text = _("It ends by itself then, and the person is told so now.")


def _mute(asked: ActionRequest, user: User, choices: Choices) -> Changed:
    _require_above(asked.moderator, user)
    tell_muted(mutes.mute(user, choices["note"], until=choices["until"], now=asked.now), now=asked.now)
    return {"note": choices["note"], **_told_until(choices)}


def _lift_mute(asked: ActionRequest, user: User, choices: Choices) -> Changed:
    _require_above(asked.moderator, user)
    mutes.lift_mutes(user, now=asked.now)
    return {}


def _is_muted(user: User) -> bool:
    return user.mutes.filter(lifted_at=None, until__gt=clock.now()).exists()


def _lift(asked: ActionRequest, user: User, choices: Choices) -> Changed:
    _require_above(asked.moderator, user)
    ban = bans.ban_of(user)
    assert ban, "the action applies only then"
    reopen_account(ban, now=asked.now)
    tell_reopened(ban, now=asked.now)
    return {}


def _require_above(moderator: User, user: User) -> None:
    is_below = user.role < moderator.role and not user.is_superuser
    if user == moderator or not (is_below or moderator.is_superuser):
        raise Refused(
            "no-role", "Only somebody of a higher role can do this to the account; ask an administrator."
        )


def _ban_address(asked: ActionRequest, address: str, choices: Choices) -> Changed:
    bans.ban_address(address, choices["note"], until=choices.get("until"), now=asked.now)
    return {"note": choices["note"], **_told_until(choices)}


def _lift_address(asked: ActionRequest, address: str, choices: Choices) -> Changed:
    ban = bans.ban_of_address(address)
    assert ban, "the action applies only then"
    bans.lift(ban, now=asked.now)
    return {}


def _try_again(asked: ActionRequest, address: str, choices: Choices) -> Changed:
    try_address_again(address, now=asked.now)
    return {}


def _verify(asked: ActionRequest, row: EmailAddress, choices: Choices) -> Changed:
    # Anybody who reads mail at this address can sign in to the account and do all that it may.
    _require_above(asked.moderator, row.user)
    others = verified_rows(row.email).exclude(pk=row.pk)
    if owner := others.first():
        raise Refused(
            "address-taken",
            "This address is {name}'s; it can be somebody else's only once {name} has given it up.",
            name=owner.user.username,
        )
    row.set_verified()
    row.set_as_primary(conditional=True)
    return {}


class RoleForm(ActionForm):
    role = forms.TypedChoiceField(
        label=_("Role"), choices=Role.choices, coerce=lambda value: Role(int(value))
    )

    def __init__(self, subject: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(subject, *args, **kwargs)
        self.fields["role"].initial = subject.role


def _give_role(asked: ActionRequest, user: User, choices: Choices) -> Changed:
    if user == asked.moderator:
        raise Refused("own-role", "Nobody gives a role to themselves; ask another administrator.")
    before, user.role = Role(user.role), choices["role"]
    user.save(update_fields=["role", "is_staff"])
    return {"role before": before.name.lower(), "role": choices["role"].name.lower()}


BAN = Action(
    "ban",
    _("Shut the account"),
    Target.PLAYER,
    Role.MODERATOR,
    _ban,
    form=BanForm,
    warning=_(
        "Seats of running matches stay as they are: open them, or give them to others, one by one. Tables that wait "
        "are left, and invitations taken back. Clubs that nobody else owns go to a member; for events that nobody else "
        "organises, put somebody in on their pages."
    ),
    applies=lambda user: bans.ban_of(user) is None,
)
LIFT_BAN = Action(
    "lift-ban",
    _("Open the account again"),
    Target.PLAYER,
    Role.MODERATOR,
    _lift,
    applies=lambda user: bans.ban_of(user) is not None,
)
MUTE = Action(
    "mute",
    _("Let the player write nothing to others"),
    Target.PLAYER,
    Role.MODERATOR,
    _mute,
    form=MuteForm,
    warning=_("Neither at tables nor to clubs, nor may their bots; they play on."),
    applies=lambda user: user.is_active and not _is_muted(user),
)
LIFT_MUTE = Action(
    "lift-mute",
    _("Let the player write again"),
    Target.PLAYER,
    Role.MODERATOR,
    _lift_mute,
    applies=_is_muted,
)
GIVE_ROLE = Action(
    "give-role",
    _("Give a role"),
    Target.PLAYER,
    Role.ADMINISTRATOR,
    _give_role,
    form=RoleForm,
    warning=_("Helpers and moderators read and do a lot. The role of a superuser changes nothing."),
    applies=lambda user: user.is_active and not user.is_guest and not user.is_bot,
)
BAN_ADDRESS = Action(
    "ban-address",
    _("Take no mail from the address"),
    Target.ADDRESS,
    Role.MODERATOR,
    _ban_address,
    form=BanForm,
    applies=lambda address: bans.ban_of_address(address) is None,
)
LIFT_ADDRESS = Action(
    "lift-address",
    _("Take mail from the address again"),
    Target.ADDRESS,
    Role.MODERATOR,
    _lift_address,
    applies=lambda address: bans.ban_of_address(address) is not None,
)
TRY_ADDRESS = Action(
    "try-address",
    _("Send mail to the address again"),
    Target.ADDRESS,
    Role.HELPER,
    _try_again,
    applies=lambda address: UnreachableAddress.objects.filter(address=comparable(address)).exists(),
)
VERIFY = Action(
    "verify-address",
    _("Mark the address as verified"),
    Target.CLAIM,
    Role.ADMINISTRATOR,
    _verify,
    warning=_(
        "Whoever reads mail at this address can sign in to the account and play by mail: be sure whose it is."
    ),
    applies=lambda row: not row.verified,
)
