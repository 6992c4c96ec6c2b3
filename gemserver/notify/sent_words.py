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


def read_sent_words(message: OutboxMessage) -> list[Fingerprint]:
    """What is kept of a mail, once under each key that it may have been made with; none when it is forgotten.

    Under another key than its own it finds nothing: two hashes in a row fit by chance once in 4 billion.
    """
    stored = bytes(message.sent_words or b"")
    return [Fingerprint.load(stored, key=_key(message, key)) for key in signing.all_keys() if stored]


def _key(message: OutboxMessage, under: str | None = None) -> bytes:
    return signing.secret_key("sent words", message.message_id, under=under)
