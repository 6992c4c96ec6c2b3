"""Accept, decline or stop invitations. The caller has checked the invitation's token, or knows its player."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.clubs.clubs import lock_club_of
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Invitation, Seat
from gemserver.matches.refusal import Refused


def accept_invitation(invitation_id: int, user: User, *, words: str = "", now: datetime) -> Seat:
    """Join the table, even with another address than the invited one; accepting twice gives the same seat.

    Raises Refused(no-invitation, withdrawn, not-yours) and what `join_table` raises.
    """
    with transaction.atomic():
        invitation = _locked(invitation_id)
        if invitation.user_id not in {None, user.pk}:
            raise Refused("not-yours", "This invitation is for another player; ask for one of your own.")
        if invitation.state in {Invitation.State.WITHDRAWN, Invitation.State.REMOVED}:
            raise Refused("withdrawn", "This invitation was taken back; look for another table.")
        invitation.user, invitation.state, invitation.answered_at = user, Invitation.State.ACCEPTED, now
        invitation.save(update_fields=["user", "state", "answered_at"])
        return join_table(invitation.match_id, user, words=words, now=now)


def decline_invitation(invitation_id: int, *, now: datetime) -> Invitation:
    """Decline; until the match begins it may still be accepted. Declining twice changes nothing.

    Raises Refused(no-invitation, answered).
    """
    with transaction.atomic():
        invitation = _locked(invitation_id)
        if invitation.state == Invitation.State.ACCEPTED:
            raise Refused("answered", "You have accepted this invitation; to get up, leave the table.")
        if invitation.state == Invitation.State.OPEN:
            invitation.state, invitation.answered_at = Invitation.State.DECLINED, now
            invitation.save(update_fields=["state", "answered_at"])
    return invitation


def stop_invitations(invitation_id: int, *, now: datetime) -> None:
    """Decline, and never send invitations to this address again; doing it twice changes nothing.

    Raises Refused(no-invitation).
    """
    with transaction.atomic():
        invitation = _locked(invitation_id)
        if invitation.state == Invitation.State.OPEN:
            decline_invitation(invitation_id, now=now)
        UnreachableAddress.objects.update_or_create(
            address=invitation.address,
            defaults={"opted_out": True},
            create_defaults={"why": UnreachableAddress.Reason.OPTED_OUT, "since": now, "opted_out": True},
        )


def _locked(invitation_id: int) -> Invitation:
    """The invitation, with the locks of its club and its match, which all that concerns a table takes first."""
    match_id = Invitation.objects.filter(pk=invitation_id).values_list("match_id", flat=True).first()
    if match_id is not None:
        lock_club_of(match_id)
        lock_match(match_id)
    invitation = Invitation.objects.filter(pk=invitation_id).first()
    if invitation is None:
        raise Refused("no-invitation", "There is no such invitation any more; look for another table.")
    return invitation
