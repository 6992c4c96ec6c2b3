"""Establishes the writer of a mail, and what it may do (mail-requirements.md S1–S5, A6, A7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db.models import CharField, Q, QuerySet, Value

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import Ban, UnreachableAddress, User
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.senders import sender_proof
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text.mail_address import comparable
from gemserver.mailgate.addresses import Recipient, find_recipients
from gemserver.mailgate.header import ParsedMail
from gemserver.mailgate.letter import MOST_IDS, Letter
from gemserver.mailgate.match_codes import OWN_TAG
from gemserver.matches import mail_ids, sitters
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage

OLDEST = timedelta(days=7)
"""Age, by its own Date, at which a mail without a token is too old: mail servers retry for five days at most."""
AHEAD = timedelta(days=1)
"""How far a sender's clock, or the zone it is set to, may be ahead."""


class Unauthorised(Exception):
    """A mail that must not be acted on; `code` says why."""

    def __init__(self, code: str, *, seat: Seat | None = None, user: User | None = None) -> None:
        self.code = code
        self.seat = seat
        self.user = user
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Authority:
    """The player that a mail may act for, in one seat or (account address) in none."""

    user: User
    seat: Seat | None
    is_binding: bool
    """True if it may do irreversible things: never if it was held, nor without a token in the address.

    See mail-requirements.md A6.
    """


def establish(letter: Letter) -> Authority:
    """Find the player that this mail acts for.

    Raises Unauthorised: `no-address` (none of our addresses with a token, nor a provable answer to a mail of ours),
    `stranger` (to the lobby, from nobody whom we know), `several-seats` (A7), `several-senders` (S5), `banned`,
    `forged` (S3), `unproved` (S3, A6), `forged-to-lobby` and `unproved-to-lobby` (the same without a token),
    `sent-on` (without a token: proved, but not written to us now), `foreign-sender` (S1; held, S4),
    `mailing-list` (L4), `former-address` (A4). The ids are those of mail-requirements.md.
    """
    row, mail = letter.row, letter.mail
    seat, user, has_token = _addressed(letter)
    refuse = partial(Unauthorised, seat=seat, user=user)
    at_lobby = user is None and letter.is_to_lobby
    if user is None and not at_lobby:
        raise Unauthorised("no-address")
    if mail.from_list and not (has_token and _names_token(mail, row.counts_from)):
        raise refuse("mailing-list")
    if len(mail.from_addresses) != 1:
        shut_out = is_any_banned(mail.from_addresses or (row.envelope_from,))
        raise refuse("banned" if shut_out else "several-senders")
    sender = know_sender(mail.from_addresses[0], user)
    if not has_token and letter.is_to_lobby and not sender.is_theirs:
        at_lobby = True  # it answers a mail to somebody else, or none of ours
    if sender.is_banned or (user and not user.is_active and not at_lobby):
        raise refuse("banned")
    if at_lobby:
        return _establish_at_lobby(letter)
    assert user is not None
    proof = sender_proof(row)
    if proof == "fail":
        raise refuse("forged")
    if not sender.is_theirs:
        raise refuse("foreign-sender" if has_token else "no-address")
    if proof != "pass" and (not has_token or settings.MAIL_AUTH == "strict"):
        raise refuse("unproved")
    if not has_token and not is_written_to_us(letter):
        raise refuse("sent-on")
    return Authority(user, seat, is_binding=has_token)


def _establish_at_lobby(letter: Letter) -> Authority:
    """Like `establish`, for mail to the lobby: only the sender's address says who it is, so it must be proved.

    See mail-requirements.md A6.
    """
    user = owner_of(letter.mail.from_addresses[0])
    if user is None:
        raise Unauthorised("stranger")
    proof = sender_proof(letter.row)
    if proof != "pass":
        raise Unauthorised("forged-to-lobby" if proof == "fail" else "unproved-to-lobby", user=user)
    if not is_written_to_us(letter):
        raise Unauthorised("sent-on", user=user)
    return Authority(
        user, _tagged_seat(letter.mail, user) or _seat_answered_by(letter, user), is_binding=False
    )


def is_written_to_us(letter: Letter, address: str = "") -> bool:
    """True if a mail with a proved sender was written to the lobby (or this address of ours), and recently.

    A signature stays valid whoever forwards the mail, to whom, and when (DKIM replay, RFC 6376 §8.6). So To or Cc must
    name the lobby, Date must be recent, and every signature must cover both. Where one does not (Microsoft's do not
    cover To), SPF must have passed for the author's own domain, which shows that the mail was not forwarded. With
    MAIL_AUTH=off nobody is suspected.
    """
    if settings.MAIL_AUTH == "off":
        return True
    mail, received = letter.mail, letter.row.received_at
    at = mail.sent_at
    if at is None or not received - OLDEST <= at <= received + AHEAD:
        return False
    ours = comparable(address or settings.PLAY_ADDRESS)
    named_in = {name for name, addresses in (("to", mail.to), ("cc", mail.cc)) if ours in addresses}
    is_signed = "date" not in mail.unsigned and bool(named_in - mail.unsigned)
    return bool(named_in) and (is_signed or letter.row.auth.get("spf_aligned") == "pass")


def may_be_asked(row: InboundEmail) -> bool:
    """True if a mail to this unknown sender would reach the writer: no check of the sender has failed.

    See mail-requirements.md L9.
    """
    if settings.MAIL_AUTH == "off":
        return True
    proof = sender_proof(row)
    if settings.MAIL_AUTH == "strict":
        return proof == "pass"
    return proof != "fail" and row.auth.get("spf") != "fail"


def _tagged_seat(mail: ParsedMail, user: User) -> Seat | None:
    """The player's seat in the match tagged in the subject: `Re: [GEM M17] …` (mail-requirements.md A6)."""
    tag = OWN_TAG.search(mail.subject[:300])
    if tag is None:
        return None
    seats = Seat.objects.select_related("user", "match")
    return seats.filter(match__code=tag[1].upper(), user=user, match__started_at__isnull=False).first()


def _seat_answered_by(letter: Letter, user: User) -> Seat | None:
    """The player's seat in the match that the answered mail to them was about; None if it names none or another's.

    The Message-ID of a receipt names no match, nor does one that a relay has put in place of ours.
    See mail-requirements.md A6, H2.
    """
    named = [reference.strip("<>") for reference in letter.references[:MOST_IDS]]
    ids = [*named, *(f"<{each}>" for each in named)]
    sent = OutboxMessage.objects.filter(Q(message_id__in=ids) | Q(provider_id__in=ids), user=user)
    threads = sent.filter(thread__startswith="match:").order_by("-pk").values_list("thread", flat=True)
    newest = threads.first() if named else None
    if newest is None:
        return None
    match_id = int(newest.partition(":")[2])
    return Seat.objects.select_related("user", "match").filter(match=match_id, user=user).first()


def _addressed(letter: Letter) -> tuple[Seat | None, User | None, bool]:
    """The seat and player addressed, and whether by a token: envelope first, then header, then the answered mail."""
    found = letter.recipients
    seats = {recipient.seat.pk for recipient in found if recipient.seat}
    if len(seats) > 1:
        raise Unauthorised("several-seats", seat=found[0].seat, user=found[0].user)
    former = [recipient for recipient in found if recipient.kind == "former"]
    if found and len(former) == len(found):
        raise _former(former[0], letter)
    found = [recipient for recipient in found if recipient not in former]
    if found:
        best: Recipient = next((recipient for recipient in found if recipient.seat), found[0])
        return best.seat, best.user, True
    seat, user = _answered_seat(letter)
    return seat, user, False


def _names_token(mail: ParsedMail, at: datetime) -> bool:
    """True if its writer has put a token of ours into To or Cc: an envelope is written by whoever sends it on."""
    return any(recipient.kind != "former" for recipient in find_recipients((*mail.to, *mail.cc), at))


def _former(recipient: Recipient, letter: Letter) -> Unauthorised:
    """The refusal of a mail to an address that was replaced: its owner is told so, nobody else learns anything.

    See mail-requirements.md A4.
    """
    assert recipient.user is not None
    authors = letter.mail.from_addresses
    is_owner = len(authors) == 1 and know_sender(authors[0], recipient.user).is_theirs
    is_forged = sender_proof(letter.row) == "fail"
    if not is_owner or is_forged or letter.mail.from_list or not recipient.user.is_active:
        return Unauthorised("no-address")
    return Unauthorised("former-address", seat=recipient.seat, user=recipient.user)


def _answered_seat(letter: Letter) -> tuple[Seat | None, User | None]:
    """The seat of the mail that this one answers, and the person it went to: the seat's player then, or a sitter."""
    for reference in letter.references:
        ref = mail_ids.read_message_id(reference)
        if ref and ref.sitting:
            sitting = sitters.current(letter.row.counts_from).filter(pk=ref.sitting).first()
            return (sitting.seat, sitting.sitter) if sitting else (None, None)
        if ref:
            seats = Seat.objects.select_related("user", "match")
            seat = seats.filter(match=ref.match, index=ref.seat).first()
            return seat, seat.user if seat else None
    return None, None


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
