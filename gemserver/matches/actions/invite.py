"""Asking somebody to a table, by name or address, and taking that back."""

from __future__ import annotations

from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet

from gemserver.accounts.blocks import is_blocked
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib import signing
from gemserver.matches.locking import lock_open_table
from gemserver.matches.models import Invitation, Match
from gemserver.matches.refusal import Refused
from gemserver.notify.outbox import tell

DAY = timedelta(days=1)
PER_PLAYER_AND_DAY = 5
PER_ADDRESS_AND_DAY = 3
"""So many invitations may one player send, and one address get, in 24 hours (`email.md`, L9)."""
KIND = "invitation"


def invite(match_id: int, by: User, whom: str, *, now: datetime) -> Invitation:
    """Offer a seat to a player of this name or to an address, and send the mail; nobody gets two for one table.

    `by` sits at the table. Whether an address belongs to a player, and whether it is they who want no invitations,
    is not told: the same refusal stands for all of that.
    Raises Refused(no-such-match, not-open, not-seated, table-full, no-such-player, already-seated, no-invitations,
    too-many-invitations).
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        _check_table(match, by)
        user, address = _find(whom.strip())
        if user and match.seats.filter(user=user).exists():
            raise Refused(
                "already-seated", "{whom} sits at {code} already.", whom=user.username, code=match.code
            )
        known = match.invitations.filter(_is_for(user, address)).order_by("pk").first()
        if (known and known.state == Invitation.State.DECLINED) or _is_unwelcome(by, user, address):
            raise _no_invitations(whom)
        if known:
            known.state, known.answered_at = Invitation.State.OPEN, None
            known.save(update_fields=["state", "answered_at"])
            return known
        if _lately(now).filter(address=address).count() >= PER_ADDRESS_AND_DAY:
            raise _no_invitations(whom)
        _check_allowance(by, now)
        invitation = Invitation.objects.create(
            match=match, address=address, user=user, invited_by=by, created_at=now
        )
        _send(invitation, now)
    return invitation


def withdraw_invitation(invitation_id: int, by: User, *, now: datetime) -> Invitation:
    """Take an invitation back that nobody has answered, as any player of the table may; twice changes nothing.

    Raises Refused(no-invitation, not-open, not-seated, answered).
    """
    with transaction.atomic():
        invitation = Invitation.objects.filter(pk=invitation_id).first()
        if invitation is None:
            raise Refused("no-invitation", "There is no such invitation; look at the table's page.")
        match = lock_open_table(invitation.match_id)
        if not match.seats.filter(user=by).exists():
            raise Refused(
                "not-seated", "Only a player of {code} can do this; join it first.", code=match.code
            )
        invitation.refresh_from_db()
        if invitation.state in {Invitation.State.ACCEPTED, Invitation.State.DECLINED}:
            raise Refused("answered", "This invitation has been answered; there is nothing to take back.")
        invitation.state, invitation.answered_at = Invitation.State.WITHDRAWN, now
        invitation.save(update_fields=["state", "answered_at"])
    return invitation


def _check_table(match: Match, by: User) -> None:
    if not match.seats.filter(user=by).exists():
        raise Refused("not-seated", "Only a player of {code} can invite; join it first.", code=match.code)
    if match.seats.count() == match.seat_count:
        raise Refused("table-full", "{code} has no free seat; there is nothing to offer.", code=match.code)


def _find(whom: str) -> tuple[User | None, str]:
    """The player, if there is one, and where the invitation goes. Raises Refused(no-such-player, no-invitations)."""
    if "@" not in whom:
        user = User.objects.filter(username__iexact=whom, is_active=True, is_guest=False).first()
        address = user.mail_address() if user else None
        if user is None or address is None:
            raise Refused(
                "no-such-player",
                "There is no player “{name}”; write a player's name or a mail address.",
                name=whom[:40],
            )
        return user, address.lower()
    try:
        validate_email(whom)
    except ValidationError:
        raise Refused(
            "no-such-player",
            "“{name}” is no mail address; write a player's name or a mail address.",
            name=whom[:80],
        ) from None
    owner = EmailAddress.objects.filter(email__iexact=whom, verified=True).select_related("user").first()
    return (owner.user if owner else None), whom.lower()


def _is_for(user: User | None, address: str) -> Q:
    return Q(address=address) | Q(user=user) if user else Q(address=address)


def _is_unwelcome(by: User, user: User | None, address: str) -> bool:
    """Whether this player or address wants no invitations, from this player or from any."""
    if user and is_blocked(user, by):
        return True
    return UnreachableAddress.objects.filter(address=address).exists()


def _lately(now: datetime) -> QuerySet[Invitation]:
    return Invitation.objects.filter(created_at__gt=now - DAY)


def _no_invitations(whom: str) -> Refused:
    return Refused(
        "no-invitations",
        "{whom} cannot be invited from here. If you know each other, send them the link of the table yourself.",
        whom=whom.strip()[:80],
    )


def _check_allowance(by: User, now: datetime) -> None:
    User.objects.select_for_update().get(pk=by.pk)  # two at once count each other
    if _lately(now).filter(invited_by=by).count() >= PER_PLAYER_AND_DAY:
        raise Refused(
            "too-many-invitations",
            "You have sent {most} invitations within a day. Send your friends the link of the table yourself.",
            most=PER_PLAYER_AND_DAY,
        )


def _send(invitation: Invitation, now: datetime) -> None:
    user = invitation.user
    if user and user.mail_mode == User.MailMode.OFF:
        return  # it stands on their first page
    tell(
        user,
        KIND,
        thread=invitation.match.thread,
        data={"invitation": invitation.pk},
        dedup_key=f"{KIND}:{invitation.pk}",
        message_id=f"<i.{invitation.pk}.{signing.mac('i', invitation.pk)}@{settings.MAIL_DOMAIN}>",
        now=now,
        to=invitation.address,
    )
