"""The words for what came of a mail and of each of its lines, as its writer reads them."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext, gettext_noop

from gemserver.inbox.models import InboundEmail

State = InboundEmail.State


def say_outcome(outcome: str) -> str:
    """One of `results.Outcome` in a word or two."""
    return gettext(_OUTCOMES[outcome])


_OUTCOMES = {
    "done": gettext_noop("done"),
    "shown": gettext_noop("shown"),
    "refused": gettext_noop("refused"),
    "unread": gettext_noop("not understood"),
}


def say_why_not(row: InboundEmail) -> str | None:
    """Why nothing of the mail was carried out, if that is for a reason of the mail as a whole."""
    reason = _WHY_NOT.get(row.code)
    if row.state in _UNANSWERED_STATES:
        reason = reason or _WHY_UNANSWERED.get(row.code)
        reason = reason or (_AUTOMATIC if row.code.startswith("automatic:") else None)
    if reason:
        return gettext(reason) % {"address": settings.PLAY_ADDRESS, "sender": row.sender}
    if row.state == State.UNREADABLE:
        return gettext("NOT read: your mail could not be read.")
    return None


_UNANSWERED_STATES = frozenset({State.DROPPED, State.HELD, State.UNREADABLE})
_AUTOMATIC = gettext_noop(
    "NOT done: your mail program says that a machine wrote this mail, as it does of an out-of-office note. "
    "Write a new mail by hand."
)
_FORGED = gettext_noop(
    "NOT done: a mail in your name came from a server that may not send for your address. "
    "If it was you, send it again the usual way or play on the web."
)
_WHY_NOT = {
    "several-seats": gettext_noop(
        "NOT done: your mail went to the addresses of several matches. Write one mail for each."
    ),
    "forged": _FORGED,
    "forged-to-lobby": _FORGED,
    "unproved": gettext_noop(
        "NOT done: this server only accepts mail whose sender is proved (DMARC). Play on the web."
    ),
    "unproved-to-lobby": gettext_noop(
        "NOT done: nothing proves that this mail came from you (DMARC). Answer this mail with the same "
        "lines: its reply address is yours alone, and there they count."
    ),
    "sent-on": gettext_noop(
        "NOT done: a mail in your name came to %(address)s that does not name it in To or Cc, or was written "
        "more than a week ago, so that anybody may have sent it on. If it was you, answer this mail with the "
        "same lines: its reply address is yours alone, and there they count."
    ),
    "former-address": gettext_noop(
        "NOT done: the reply address that you wrote to was replaced. Answer a newer mail of ours, "
        "or play on the web."
    ),
    "stale": gettext_noop("NOT played: your mail answers an older turn. This is how the match stands now."),
    "disowned": gettext_noop("NOT done: you have said that it was not yours."),
}
"""By the code of the verdict on a mail."""

_WHY_UNANSWERED = {
    "automatic:subject": gettext_noop(
        "NOT done: its subject looks like an out-of-office note, and nothing in it could be carried out."
    ),
    "no-address": gettext_noop(
        "NOT done: the address that you wrote to leads nowhere any more. Answer a newer mail of ours, "
        "or play on the web."
    ),
    "copy": gettext_noop("NOT done again: the same mail came before, and counted then."),
    "mailing-list": gettext_noop("NOT done: a mailing list has sent it on. Write to us yourself."),
    "several-senders": gettext_noop("NOT done: it names several senders, or none. A mail must have one."),
    "banned": gettext_noop("NOT done: moderators let nobody write from this address."),
    "reaction": gettext_noop(
        "NOT done: a reaction counts only as the answer to a question that is still open."
    ),
    "foreign-sender": gettext_noop(
        "NOT done yet: it came from %(sender)s, which is none of your addresses. A mail to you asks whether it "
        "was yours."
    ),
    "no-such-club": gettext_noop("NOT done: you are in no club that has the address that you wrote to."),
    InboundEmail.SERVER_ERROR: gettext_noop(
        "NOT done: the server has failed to read it, which is no fault of yours. Moderators see it; "
        "play on the web meanwhile."
    ),
}
"""By the code of the verdict on a mail that was not answered."""
