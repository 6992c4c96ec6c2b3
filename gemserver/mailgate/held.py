"""The page on which a player says whether a mail from an unknown address was theirs (`email.md` S4)."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from gemserver.accounts.addresses import verified_rows
from gemserver.accounts.models import User
from gemserver.lib import clock, signing
from gemserver.lib.mail_address import comparable
from gemserver.lib.nudge import nudge
from gemserver.mailgate.models import InboundEmail
from gemserver.mailgate.results import LineResult
from gemserver.matches.actions.renew_address import renew_address

HOLD = timedelta(hours=48)

CHOICES = ("once", "trust", "refuse")


def path(row: InboundEmail) -> str:
    """The page's address; only the registered address of the player is told it."""
    return reverse("held", args=[row.pk, signing.mac("held", row.pk)])


@require_http_methods(["GET", "HEAD", "POST"])
def held(request: HttpRequest, pk: int, mac: str) -> HttpResponse:
    """GET shows the mail's sender and exact lines with three buttons; POST does what the chosen one says."""
    if not signing.is_mac(mac, "held", pk):
        raise Http404
    with transaction.atomic():
        row = (
            InboundEmail.objects.select_for_update(of=("self",))
            .select_related("user", "seat__match")
            .filter(pk=pk)
            .first()
        )
        if row is None or row.user is None or row.seat is None:
            raise Http404
        is_open = row.state == InboundEmail.State.HELD and row.received_at > clock.now() - HOLD
        choice = request.POST.get("choice", "")
        if request.method == "POST" and is_open and choice in CHOICES:
            settle(row, choice)
    lines = [LineResult.from_json(result).line for result in row.results]
    context = {"row": row, "match": row.seat.match, "lines": lines, "is_open": is_open, "choice": choice}
    return render(request, "mailgate/held.html", context)


def settle(row: InboundEmail, choice: str) -> None:
    """Do what a choice says: `once`, `trust` or `refuse`. The caller holds the row's lock, and has seen it is held."""
    assert row.user is not None
    assert row.seat is not None
    if choice == "refuse":
        row.state, row.code = InboundEmail.State.REFUSED, "disowned"
        row.save(update_fields=["state", "code"])
        if row.seat.user_id == row.user.pk:
            renew_address(row.seat.pk, now=clock.now())
        return
    if choice == "trust":
        _trust(row.user, comparable(row.sender))
    row.state, row.released_at, row.claimed_until = InboundEmail.State.STORED, clock.now(), None
    row.save(update_fields=["state", "released_at", "claimed_until"])
    nudge("gemserver.mailgate.tasks.read_mail")


def _trust(user: User, address: str) -> None:
    """Add the address to the player's own, unless it is already somebody else's."""
    if verified_rows(address).exclude(user=user).exists():
        return
    EmailAddress.objects.update_or_create(user=user, email=address, defaults={"verified": True})
