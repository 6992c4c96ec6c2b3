"""Asking somebody to a table, by name or address, and taking that back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.blocks import is_blocked
from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib import signing
from gemserver.lib.mail_address import comparable
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

    `by` sits at the table. Whether an address belongs to a player, to which, and whether it is they who want no
    invitations, is not told: an invitation by address names nobody, and one refusal stands for all of that.
    Raises Refused(no-such-match, not-open, not-seated, table-full, no-such-player, already-seated, no-invitations,
    too-many-invitations).
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        _check_table(match, by)
        asked = _find(whom.strip())
        _check_welcome(match, by, asked)
        earlier = list(match.invitations.filter(asked.rows()).order_by("pk"))
        if known := next((row for row in earlier if asked.is_same(row)), None):
            known.state, known.answered_at = Invitation.State.OPEN, None
            known.save(update_fields=["state", "answered_at"])
            return known
        _check_allowance(by, asked, now)
        invitation = Invitation.objects.create(
            match=match,
            address=asked.address,
            user=asked.user if asked.is_named else None,
            invited_by=by,
            created_at=now,
        )
        if not earlier:
            _send(invitation, asked.user, now)
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who is asked: a player, by name or by an address that is theirs; or an address that is nobody's yet."""

    typed: str
    address: str
    user: User | None
    is_named: bool

    def rows(self) -> Q:
        """The invitations that go to the same person."""
        if self.user is None:
            return Q(address=self.address)
        return Q(address__in={self.address, *self.user.verified_addresses()}) | Q(user=self.user)

    def is_same(self, row: Invitation) -> bool:
        """Whether the invitation was asked for in the same way."""
        return row.address == self.address or (self.is_named and row.user == self.user)


def _find(whom: str) -> _Asked:
    """Who that is. Raises Refused(no-such-player)."""
    if "@" in whom:
        return _find_address(whom)
    user = User.objects.filter(username__iexact=whom, is_active=True, is_guest=False).first()
    address = (user.mail_address() or user.email) if user else ""
    if user is None or not address:
        raise Refused(
            "no-such-player",
            "There is no player “{name}”; write a player's name or a mail address.",
            name=whom[:40],
        )
    return _Asked(whom, comparable(address), user, is_named=True)


def _find_address(whom: str) -> _Asked:
    address = comparable(whom)
    try:
        validate_email(address)
        if not address.isascii():  # Django takes U+212A for a K
            raise ValidationError(address)
    except ValidationError:
        raise Refused(
            "no-such-player",
            "“{name}” is no mail address; write a player's name or a mail address.",
            name=whom[:80],
        ) from None
    return _Asked(whom, address, owner_of(address), is_named=False)


def _check_welcome(match: Match, by: User, asked: _Asked) -> None:
    """Raises Refused(already-seated, no-invitations)."""
    is_seated = asked.user is not None and match.seats.filter(user=asked.user).exists()
    if is_seated and asked.is_named:
        raise Refused("already-seated", "{whom} sits at {code} already.", whom=asked.typed, code=match.code)
    is_blocked_by = asked.user is not None and is_blocked(asked.user, by)
    unreachable = UnreachableAddress.objects.filter(address=asked.address)
    if asked.is_named:  # what bounces is no wish; the invitation stands on their first page
        unreachable = unreachable.filter(why=UnreachableAddress.Reason.OPTED_OUT)
    has_declined = match.invitations.filter(asked.rows(), state=Invitation.State.DECLINED).exists()
    if is_seated or is_blocked_by or has_declined or unreachable.exists():
        raise _no_invitations(asked)


def _no_invitations(asked: _Asked) -> Refused:
    return Refused(
        "no-invitations",
        "{whom} cannot be invited from here. If you know each other, send them the link of the table yourself.",
        whom=asked.typed[:80],
    )


def _check_allowance(by: User, asked: _Asked, now: datetime) -> None:
    """Raises Refused(no-invitations, too-many-invitations)."""
    lock_user(by.pk)  # two at once count each other
    lately = Invitation.objects.filter(created_at__gt=now - DAY)
    if lately.filter(address=asked.address).count() >= PER_ADDRESS_AND_DAY:
        raise _no_invitations(asked)
    if lately.filter(invited_by=by).count() >= PER_PLAYER_AND_DAY:
        raise Refused(
            "too-many-invitations",
            "You have sent {most} invitations within a day. Send your friends the link of the table yourself.",
            most=PER_PLAYER_AND_DAY,
        )


def _send(invitation: Invitation, reader: User | None, now: datetime) -> None:
    if reader and reader.mail_mode == User.MailMode.OFF:
        return  # it stands on their first page
    tell(
        reader,
        KIND,
        thread=invitation.match.thread,
        data={"invitation": invitation.pk},
        dedup_key=f"{KIND}:{invitation.pk}",
        message_id=f"<i.{invitation.pk}.{signing.mac('i', invitation.pk)}@{settings.MAIL_DOMAIN}>",
        now=now,
        to=invitation.address,
    )
