"""Reads the mail that a program sends for its user who has pressed *Unsubscribe* (RFC 2369; mail-requirements.md U3).

It goes to the address in List-Unsubscribe, with the subject that stands there. The token in that address is all that
the link beside it asks for too (RFC 8058); so no sender need be known, and programs rightly say that they have written.
"""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.addresses import is_own_address
from gemserver.mailgate.authority import know_sender
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.command_words import takes
from gemserver.mailgate.lines.commands import Command

_WORD = "unsubscribe"
_SUBJECT = Pattern(rf"{_WORD}(?: ([a-z0-9-]{{1,40}}))?")
_RETURNED = frozenset({"automatic:loop", "automatic:report"})
"""Reasons for which a mail is dropped whatever its subject says."""


def read_one_click(letter: Letter, reason: str | None) -> tuple[User, Command] | None:
    """Return the player, and the command in the subject of such a mail; None for any other mail.

    `reason`: the evidence that a machine wrote it. A mail of a person from an address of their own is read as ever.
    """
    authors = letter.mail.from_addresses
    found = _SUBJECT.fullmatch(letter.mail.subject.strip().lower())
    if found is None or reason in _RETURNED or any(map(is_own_address, authors)):
        return None
    category = found[1] or ""
    users = {recipient.user for recipient in letter.recipients if recipient.kind == "account"}
    user = users.pop() if len(users) == 1 else None
    if user is None or not user.is_active or not takes(_WORD, category):
        return None
    is_theirs = len(authors) == 1 and know_sender(authors[0], user).is_theirs
    return (user, Command(_WORD, category)) if reason or not is_theirs else None
