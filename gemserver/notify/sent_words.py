"""Keeps the words of sent mails as hashes, so that a reply that repeats them is known to quote."""

from __future__ import annotations

from django.core.mail import EmailMultiAlternatives

from gemserver.lib import signing
from gemserver.lib.text.fingerprint import Fingerprint, shown_text
from gemserver.notify.models import OutboxMessage

MOST_HASHES = 1024
"""2 kB for a mail. What a longer one has beyond that (rules, a long log) is no command anyway."""


def sent_words(message: OutboxMessage, mail: EmailMultiAlternatives) -> bytes:
    """The hashes for its row: of the text first, then of its HTML part.

    The key belongs to the server and this mail, and is stored nowhere: a row reveals nothing, nor do two rows together.
    """
    markup = [shown_text(str(content)) for content, kind in mail.alternatives if kind == "text/html"]
    return Fingerprint.of(str(mail.body), *markup, key=_key(message), most=MOST_HASHES).dump()


def read_sent_words(message: OutboxMessage) -> list[Fingerprint]:
    """The hashes of a mail, once under each key that may have made them; empty once they are forgotten.

    Under a wrong key nothing is found: two hashes in a row fit by chance once in 4 billion.
    """
    stored = bytes(message.sent_words or b"")
    return [Fingerprint.load(stored, key=_key(message, key)) for key in signing.all_keys() if stored]


def _key(message: OutboxMessage, under: str | None = None) -> bytes:
    return signing.secret_key("sent words", message.message_id, under=under)
