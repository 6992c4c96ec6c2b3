"""Invite somebody to a table, by name or address, and withdraw an invitation."""

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
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.name_search import find_player
from gemserver.lib import signing
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.text.mail_address import comparable
from gemserver.matches.locking import lock_open_table
from gemserver.matches.models import Invitation, Match
from gemserver.matches.privacy import has_member
from gemserver.matches.refusal import Refused
from gemserver.matches.tables import host_of
from gemserver.matches.who_may_sit import blocks_bar, no_bots, no_member
from gemserver.notify.outbox import draft, queue

DAY = timedelta(days=1)
PER_PLAYER_AND_DAY = 5
TO_ONE_PLAYER_AND_DAY = 3
TO_ONE_ADDRESS_AND_DAY = 2
PER_ADDRESS_AND_DAY = 3
"""Invitations that one person may send, of these to one name, to one address, and that one address may get of all, in
24 hours (mail-requirements.md L9). A rematch invites too.

Who is named gets any number of people's invitations, for else three of a stranger's would keep everybody away; beyond
`PER_ADDRESS_AND_DAY` only those whom they know are mailed (`mails.lobby_mails`).
"""
TO_BOTS_AND_DAY = 30
TO_ONE_BOT_AND_DAY = 10
"""Invitations in 24 hours that one person may send to bots, and to one bot: they cause no mail."""
KIND = "invitation"


def invite(match_id: int, by: User, whom: str, *, now: datetime) -> Invitation:
    """Invite the player of this name or an address, and queue the mail; nobody gets two mails for one table.

    Whoever is invited already stays so, and `is_repeat` says it.
    A bot gets none: it asks for its invitations.

    `by` sits at the table. An invitation by address gives nothing away: the answer and the rows are the same whether or
    not the address belongs to a player, and whether that player sits there, is blocked, or wants no mail. In such a
    case the mail is dropped later (`mails.lobby_mails`), and `tables.open_invitations` leaves the invitation out.
    To a club's table only members are invited, by name.
    Raises Refused(no-such-match, not-open, not-seated, table-full, no-such-player, no-member, no-bots, already-seated,
    no-invitations, too-many-invitations).
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        _check_table(match, by)
        asked = _find(whom.strip())
        _check_club(match, asked)
        _check_welcome(match, by, asked)
        if known := match.invitations.filter(asked.rows()).first():
            known.is_repeat = known.state == Invitation.State.OPEN
            known.state, known.answered_at = Invitation.State.OPEN, None
            known.invited_by = known.invited_by or by  # nobody, where a host has removed an uninvited player
            known.save(update_fields=["state", "answered_at", "invited_by"])
            return known
        count_alone("invitations")  # of the sender and to the invited, who may be nobody's address yet
        _check_allowance(by, asked, now)
        invitation = Invitation.objects.create(
            match=match,
            address=asked.address,
            user=asked.user if asked.is_named else None,
            by_name=asked.is_named,
            invited_by=by,
            created_at=now,
        )
        if asked.address:
            _send(invitation, asked.user, now)
    return invitation


def withdraw_invitation(invitation_id: int, by: User, *, now: datetime) -> Invitation:
    """Withdraw an unanswered invitation, as its sender and the host may; withdrawing twice changes nothing.

    Raises Refused(no-invitation, not-open, not-seated, not-host, answered).
    """
    with transaction.atomic():
        invitation = Invitation.objects.filter(pk=invitation_id).first()
        if invitation is None:
            raise Refused("no-invitation", "There is no such invitation; look at the table's page.")
        match = lock_open_table(invitation.match_id)
        _require_seated(match, by)
        if by not in (invitation.invited_by, host_of(match)):
            raise Refused(
                "not-host",
                "Only the host of {code} and whoever sent an invitation can take it back; ask them.",
                code=match.code,
            )
        invitation.refresh_from_db()
        if invitation.state not in {Invitation.State.OPEN, Invitation.State.WITHDRAWN}:
            raise Refused("answered", "This invitation has been answered; there is nothing to take back.")
        invitation.state, invitation.answered_at = Invitation.State.WITHDRAWN, now
        invitation.save(update_fields=["state", "answered_at"])
    return invitation


def withdraw_invitation_to(match_id: int, by: User, whom: str, *, now: datetime) -> Invitation:
    """Like `withdraw_invitation`, by the name or address that was invited.

    Raises Refused(no-such-match, no-such-player) too.
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        _require_seated(match, by)
        sent = match.invitations.filter(_find(whom.strip()).rows()).first()
        if sent is None:
            raise Refused(
                "no-invitation",
                "{whom} is not invited to {code}; there is nothing to take back.",
                whom=whom.strip()[:80],
                code=match.code,
            )
        return withdraw_invitation(sent.pk, by, now=now)


def _require_seated(match: Match, by: User) -> None:
    if not match.seats.filter(user=by).exists():
        raise Refused("not-seated", "Only a player of {code} can do this; join it first.", code=match.code)


def _check_table(match: Match, by: User) -> None:
    if not match.seats.filter(user=by).exists():
        raise Refused("not-seated", "Only a player of {code} can invite; join it first.", code=match.code)
    if match.seats.count() == match.seat_count:
        raise Refused("table-full", "{code} has no free seat; there is nothing to offer.", code=match.code)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The invited: a player, by name or by one of their addresses; or an address that is nobody's yet."""

    typed: str
    address: str
    user: User | None
    is_named: bool

    def rows(self) -> Q:
        """Selects earlier invitations of the same player by name, or of the same address."""
        if self.is_named:
            return Q(user=self.user, by_name=True)
        return Q(address=self.address, by_name=False)


def _find(whom: str) -> _Asked:
    """Find the player or address. Raises Refused(no-such-player)."""
    if "@" in whom:
        return _find_address(whom)
    user = find_player(whom)
    address = (user.mail_address() or user.email) if user else ""
    if user is None or not (address or user.is_bot):
        raise Refused(
            "no-such-player",
            "There is no player “{name}”; write a player's name or a mail address.",
            name=whom[:40],
        )
    return _Asked(whom, comparable(address) if address else "", user, is_named=True)


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


def _check_club(match: Match, asked: _Asked) -> None:
    """Raise Refused(no-member) if it is a club's table and the invited is no member, or not named."""
    if match.club_id is None:
        return
    if not asked.is_named:
        raise Refused(
            "no-member", "{code} is a club's table; invite its members by their names.", code=match.code
        )
    if asked.user is not None and not has_member(match, asked.user):
        raise no_member(match, asked.user)


def _check_welcome(match: Match, by: User, asked: _Asked) -> None:
    """Raise Refused(already-seated, no-invitations) if the invited does not want it.

    For an address only its own rows count, not what is known of the player behind it.
    """
    unreachable = UnreachableAddress.objects.filter(address=asked.address)
    has_declined = match.invitations.filter(asked.rows(), state=Invitation.State.DECLINED).exists()
    is_unwelcome = has_declined
    if asked.is_named:
        assert asked.user is not None
        if asked.user.is_bot and not match.allows_bots:
            raise no_bots(match)
        if match.seats.filter(user=asked.user).exists():
            raise Refused(
                "already-seated", "{whom} sits at {code} already.", whom=asked.typed, code=match.code
            )
        # A bouncing address is no wish; the invitation still stands on the player's first page.
        unreachable = unreachable.filter(Q(why=UnreachableAddress.Reason.OPTED_OUT) | Q(opted_out=True))
        is_unwelcome = is_unwelcome or is_blocked(asked.user, by) or blocks_bar(match, asked.user)
    if is_unwelcome or unreachable.exists():
        raise _no_invitations(asked)


def _no_invitations(asked: _Asked) -> Refused:
    return Refused(
        "no-invitations",
        "{whom} cannot be invited from here. If you know each other, send them the link of the table yourself.",
        whom=asked.typed[:80],
    )


def _check_allowance(by: User, asked: _Asked, now: datetime) -> None:
    """Raise Refused(no-invitations, too-many-invitations) if a daily limit is reached, together with their bots."""
    is_bot = asked.user is not None and asked.is_named and asked.user.is_bot
    to_one = TO_ONE_PLAYER_AND_DAY if asked.is_named else TO_ONE_ADDRESS_AND_DAY
    lately = Invitation.objects.filter(created_at__gt=now - DAY)
    if not asked.is_named and lately.filter(asked.rows()).count() >= PER_ADDRESS_AND_DAY:
        raise _no_invitations(asked)
    own = lately.filter(invited_by__in=by.of_family())
    most = TO_ONE_BOT_AND_DAY if is_bot else to_one
    if own.filter(asked.rows()).count() >= most:
        raise Refused(
            "too-many-invitations",
            "You have invited {whom} {most} times within a day. Send them the link of the table yourself.",
            whom=asked.typed[:80],
            most=most,
        )
    most = TO_BOTS_AND_DAY if is_bot else PER_PLAYER_AND_DAY
    alike = own.filter(by_name=True, user__owner__isnull=False) if is_bot else own.filter(user__owner=None)
    if alike.count() >= most:
        raise Refused(
            "too-many-invitations",
            "You have sent {most} invitations within a day. Send your friends the link of the table yourself.",
            most=most,
        )


def _send(invitation: Invitation, reader: User | None, now: datetime) -> None:
    """Queue the mail. Only when it is written is its reader's choice looked up, so that the answer cannot reveal it."""
    mail = draft(
        reader,
        KIND,
        thread=invitation.match.thread,
        data={"invitation": invitation.pk},
        dedup_key=f"{KIND}:{invitation.pk}",
        message_id=f"<i.{invitation.pk}.{signing.mac('i', invitation.pk)}@{settings.MAIL_DOMAIN}>",
        now=now,
        to=invitation.address,
    )
    queue([mail])
