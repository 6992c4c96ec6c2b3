"""The one way in for mail: stored under a unique key before anything else happens with it.

See mail-requirements.md I1.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import CharField, F

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.database.prepared_writes import PreparedInsert
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.web.storable_text import storable
from gemserver.mailgate.header import ParsedMail, UnreadableMail, parse_header
from gemserver.mailgate.trust import verdicts
from gemserver.nudge import nudge

MOST_ADDRESSES = 20
"""Addresses in a header under which a copy of the mail is looked for."""


def ingest(
    raw: bytes,
    envelope_from: str,
    envelope_to: str,
    source: str,
    auth: Mapping[str, str],
    *,
    provider: str = "",
    received_at: datetime | None = None,
) -> InboundEmail | None:
    """Store one mail for one recipient; it has been committed when this returns.

    `auth`: the receiver's findings about the sender (`{"dmarc": "pass", "peer": …}`); its verdicts are kept if `trust`
    allows them for `source`, or for the `provider` who posted it. `received_at`: when we accepted it, by default now.
    The recipient is kept in its comparable form. The same mail again only adds to its count of copies; None is
    returned if its row was dropped since (`lib.partitions`). A mail over the size limit is truncated. Database errors
    pass through, for the receiver to answer with a temporary failure.
    """
    mail, envelope_to = _header_of(raw), comparable(envelope_to.strip().strip("<>"))
    key = _key(mail, raw, envelope_to)
    row = _stored_under(key)
    if row and _is_another(row, mail):
        key = _content_key(mail, raw, envelope_to)
        row = _stored_under(key)
    if row is None:
        new = InboundEmail(
            key=key,
            raw=raw[: settings.MAIL_SIZE_LIMIT + 1],
            envelope_from=storable(envelope_from)[:320],
            envelope_to=storable(envelope_to)[:320],
            source=source,
            auth={**auth, **verdicts(provider or source, auth, envelope_from, mail)},
            received_at=received_at or clock.now(),
            message_id=mail.message_id[:250] if mail else "",
            sender=mail.from_addresses[0][:320] if mail and mail.from_addresses else "",
            subject=mail.subject[:250] if mail else "",
        )
        try:
            with transaction.atomic():
                _insert([new])
                nudge("gemserver.mailgate.tasks.read_mail")
            return new
        except IntegrityError:  # the same mail has just come by another way, or came long ago
            row = _stored_under(key)
    if row is None:
        return None
    InboundEmail.objects.filter(pk=row.pk).update(copies=F("copies") + 1)
    return row


def was_carried_out(mail: ParsedMail, row: InboundEmail) -> bool:
    """True if this mail was carried out already as it came to another of the player's addresses.

    See mail-requirements.md I1.
    """
    if not _is_named(mail):
        return False
    others = [address for address in mail.recipients[:MOST_ADDRESSES] if address != row.envelope_to]
    keys = [_id_key(mail, address) for address in others]
    copies = InboundEmail.objects.filter(key__in=keys, state=InboundEmail.State.DONE).exclude(pk=row.pk)
    return any(not _is_another(copy, mail) for copy in copies) if keys else False


def _stored_under(key: str) -> InboundEmail | None:
    return next(iter(_with_key(key=key)), None)


_with_key = Prepared(lambda: InboundEmail.objects.filter(key=Param("key", CharField())))
_insert = PreparedInsert(InboundEmail)


def _header_of(raw: bytes) -> ParsedMail | None:
    try:
        return parse_header(raw, max_size=settings.MAIL_SIZE_LIMIT)
    except UnreadableMail:
        return None


def _key(mail: ParsedMail | None, raw: bytes, envelope_to: str) -> str:
    if mail is None or not _is_named(mail):
        return _content_key(mail, raw, envelope_to)
    return _id_key(mail, envelope_to)


def _is_named(mail: ParsedMail) -> bool:
    """True if its Message-ID tells it from all others."""
    return bool(mail.message_id) and "message-id" not in mail.unsigned


def _id_key(mail: ParsedMail, envelope_to: str) -> str:
    return _digest("id", mail.message_id, ",".join(mail.from_addresses), envelope_to)


def _content_key(mail: ParsedMail | None, raw: bytes, envelope_to: str) -> str:
    return _digest("content", mail.content_key if mail else sha256(raw).hexdigest(), envelope_to)


def _is_another(earlier: InboundEmail, mail: ParsedMail | None) -> bool:
    """True if the mail that came before under this Message-ID has other content."""
    if earlier.raw is None or mail is None:
        return False
    stored = _header_of(bytes(earlier.raw))
    return stored is not None and stored.content_key != mail.content_key


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
