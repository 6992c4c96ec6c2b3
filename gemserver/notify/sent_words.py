"""What is kept of the words of a mail that went out, so that a reply which repeats them is known to quote it."""

from __future__ import annotations

from django.core.mail import EmailMultiAlternatives

from gemserver.lib import signing
from gemserver.lib.fingerprint import Fingerprint, shown_text
from gemserver.notify.models import OutboxMessage

MOST_HASHES = 1024
"""2 kB for a mail. What is left out of a longer one (rules, a long log) is no command anyway."""


def sent_words(message: OutboxMessage, mail: EmailMultiAlternatives) -> bytes:
    """For its row: of the text first, then of what its HTML part says beside it.

    The key is the server's and the mail's own, and is stored nowhere: a row tells nothing, nor do two rows together.
    """
    markup = [shown_text(str(content)) for content, kind in mail.alternatives if kind == "text/html"]
    return Fingerprint.of(str(mail.body), *markup, key=_key(message), most=MOST_HASHES).dump()


def read_sent_words(message: OutboxMessage) -> Fingerprint | None:
    """What is kept of a mail; None when it was not sent or is forgotten."""
    return Fingerprint.load(bytes(message.sent_words), key=_key(message)) if message.sent_words else None


def _key(message: OutboxMessage) -> bytes:
    return signing.secret_key("sent words", message.message_id)
