"""Standing of the address that a mail says it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db.models import CharField, QuerySet, Value

from gemserver.accounts.models import Ban, UnreachableAddress, User
from gemserver.inbox.models import InboundEmail
from gemserver.lib.mail_address import comparable
from gemserver.lib.prepared import Param, Prepared
from gemserver.mailgate.parse import UnreadableMail, parse_header


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender's address in relation to the player whom the mail is about."""

    is_theirs: bool
    """True if the player has proved that it is theirs (mail-requirements.md S1)."""
    is_banned: bool
    is_unreachable: bool
    """True if mail to it comes back, or was complained of."""


def know_sender(address: str, player: User | None) -> Sender:
    """Look up this address, in one statement; without a player it is nobody's."""
    words = _known(address=comparable(address), player=player.pk if player else None)
    return Sender("theirs" in words, "banned" in words, "unreachable" in words)


def named_senders(row: InboundEmail) -> Sequence[str]:
    """The addresses that a mail says it comes from, as bans keep them: those in From, else the envelope's."""
    try:
        named = parse_header(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT).from_addresses
    except UnreadableMail:
        named = ()
    return named or [comparable(address) for address in (row.sender or row.envelope_from,) if address]


def is_any_banned(addresses: Sequence[str]) -> bool:
    """True if one of these addresses is banned; for mails that have none or several in From."""
    kept = [comparable(address) for address in addresses]
    return Ban.objects.filter(address__in=kept, lifted_at=None).exclude(address="").exists()


def _find_known() -> QuerySet[EmailAddress, str]:
    address = Param("address", CharField())
    theirs = EmailAddress.objects.filter(email=address, user=Param("player"), verified=True)
    banned = Ban.objects.filter(address=address, lifted_at=None)
    unreachable = UnreachableAddress.objects.filter(address=address, why__in=User.UNWANTED)
    return _word(theirs, "theirs").union(_word(banned, "banned"), _word(unreachable, "unreachable"))


def _word(rows: QuerySet[Any], word: str) -> QuerySet[Any, str]:
    return rows.order_by().values_list(Value(word, CharField()), flat=True)


_known = Prepared(_find_known)
