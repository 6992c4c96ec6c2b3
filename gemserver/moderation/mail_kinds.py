"""The kinds of mail in words, for moderators."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop


def say_kind(kind: str) -> str:
    """Return the words for a kind of mail in the active language; the kind itself if it is no longer written."""
    return gettext(_ABOUT[kind]) if kind in _ABOUT else kind


_ABOUT = {
    "turn": gettext_noop("a turn"),
    "reminder": gettext_noop("a reminder"),
    "started": gettext_noop("the start of a match"),
    "timeout": gettext_noop("time that ran out"),
    "finished": gettext_noop("the end of a match"),
    "holiday": gettext_noop("a table holiday"),
    "undo": gettext_noop("a wish to take a move back"),
    "digest": gettext_noop("a daily summary"),
    "replaced": gettext_noop("a seat that was taken away"),
    "restored": gettext_noop("moves put back"),
    "away": gettext_noop("a bot that answers for its reader"),
    "vacation-ends": gettext_noop("the end of a vacation"),
    "seat-given": gettext_noop("a seat handed over"),
    "cut-off": gettext_noop("a player whom no mail reaches"),
    "sit-asked": gettext_noop("a question to a sitter"),
    "sit-answered": gettext_noop("a sitter's answer"),
    "sit-over": gettext_noop("the end of sitting"),
    "invitation": gettext_noop("an invitation"),
    "cancelled": gettext_noop("a table that was closed"),
    "terms-changed": gettext_noop("changed terms of a table"),
    "removed": gettext_noop("a seat given back by the host"),
    "season-started": gettext_noop("the start of a season"),
    "season-over": gettext_noop("the end of a season"),
    "season-off": gettext_noop("a season that is not played"),
    "event-decision": gettext_noop("an organiser's decision"),
    "replace-asked": gettext_noop("a question to a newcomer"),
    "replace-answered": gettext_noop("a newcomer's answer"),
    "talk": gettext_noop("talk of a table"),
    "report": gettext_noop("a report"),
    "report-answer": gettext_noop("the answer to a report"),
    "club-mail": gettext_noop("mail to a club"),
    "club-digest": gettext_noop("a summary of a club"),
    "club-notice": gettext_noop("news of a club"),
    "hint": gettext_noop("a hint"),
    "review": gettext_noop("a review"),
    "puzzle": gettext_noop("the puzzle of the day"),
    "receipt": gettext_noop("an answer to a mail"),
    "banned": gettext_noop("a ban"),
    "reopened": gettext_noop("an account that is open again"),
    "muted": gettext_noop("a mute"),
    "cleared": gettext_noop("texts taken away"),
    "held": gettext_noop("a question about a held mail"),
    "sign-up": gettext_noop("a question about a new account"),
    "account": gettext_noop("the account and signing in"),
    "postmaster": gettext_noop("mail to the operators"),
}
"""By a key of `gemserver.mail_kinds.KINDS`."""
