"""Mail from an unknown address, held until its player answers a question about it (mail-requirements.md S4)."""

from __future__ import annotations

from datetime import timedelta

from django.urls import reverse

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock, signing
from gemserver.lib.database.database_faults import RowGone
from gemserver.lib.text.mail_address import comparable
from gemserver.matches import sitters
from gemserver.matches.actions.seats.renew_address import renew_account_address, renew_players_address
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Seat
from gemserver.nudge import nudge

HOLD = timedelta(hours=48)

CHOICES = ("once", "add", "refuse")


def path(row: InboundEmail, address: str) -> str:
    """The address of the page that asks, for the mail to this address of the player."""
    return reverse("held", args=[row.pk, signing.mac("held", row.pk, comparable(address))])


def may_open(row: InboundEmail, mac: str) -> bool:
    """True if the page's address was mailed to one that is still the player's."""
    addresses = row.user.verified_addresses() if row.user else ()
    return any(signing.is_mac(mac, "held", row.pk, address) for address in addresses)


def find(pk: int) -> InboundEmail | None:
    """The mail with its seat and player."""
    return InboundEmail.objects.select_related("user", "seat__match").filter(pk=pk).first()


def lock(pk: int) -> InboundEmail | None:
    """Like `find`, locked until the transaction ends: its match first, as by whoever plays, else its account."""
    about = InboundEmail.objects.filter(pk=pk).values_list("seat__match", "user").first()
    match_id, user_id = about or (None, None)
    try:
        if match_id is not None:
            lock_match(match_id)
        elif user_id is not None:
            lock_user(user_id)
    except RowGone:
        return None
    list(InboundEmail.objects.select_for_update().filter(pk=pk).values_list("pk", flat=True))
    return find(pk)


def answer(row: InboundEmail, choice: str) -> None:
    """Carry out a choice: `once`, `add` or `refuse`. The caller has locked the mail, and checked that it is held.

    `add` is `once`: the page leads on to where a code proves whose the address is. Nothing in a mail does.
    """
    assert row.user is not None
    if choice == "refuse":
        row.state, row.code = InboundEmail.State.REFUSED, "disowned"
        row.save(update_fields=["state", "code"])
        if row.seat is None:
            renew_account_address(row.user)
        else:
            renew_players_address(row.seat, row.user, now=clock.now())
        return
    row.state, row.released_at, row.claimed_until = InboundEmail.State.STORED, clock.now(), None
    row.save(update_fields=["state", "released_at", "claimed_until"])
    nudge("gemserver.mailgate.tasks.read_mail")


def is_open(row: InboundEmail) -> bool:
    """True while the player may say that it was theirs."""
    return is_held(row) and row.received_at > clock.now() - HOLD


def is_held(row: InboundEmail) -> bool:
    """True if it waits, and whoever is asked about it still plays the seat that it was sent to."""
    return row.state == InboundEmail.State.HELD and (row.seat is None or _plays(row.seat, row.user))


def _plays(seat: Seat, user: User | None) -> bool:
    """True for the seat's holder, and for who sits there or is asked to."""
    sitting = sitters.current(clock.now()).filter(seat=seat, sitter=user, ended_at=None)
    return user is not None and (seat.user_id == user.pk or sitting.exists())
