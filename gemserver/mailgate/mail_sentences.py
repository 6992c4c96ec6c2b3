"""Refusals for people who write mails: the line to write instead, where a form has no need of it."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from games.contract import Message
from gemserver.matches.refusal import Refused

_SENTENCES = {
    ("quiet", "too-quiet"): gettext_noop(
        "Quiet hours are at least a minute and at most 10 hours a day; write for example: quiet 22-07"
    ),
    ("leads", "bad-leads"): gettext_noop(
        "Choose up to {most} reminders between 15 minutes and 30 days; write for example: leads 24h 4h"
    ),
    ("snooze", "bad-snooze"): gettext_noop("Choose a time up to {days} days; write for example: snooze 3h"),
    ("report", "nothing-said"): gettext_noop(
        "Say what the moderators should look at; write for example: report and your words"
    ),
    ("start", "seats-free"): gettext_noop(
        "{code} still has free seats ({count}). Wait for players, or give seats to bots: write {code}: bots {count}"
    ),
    ("part", "no-words"): gettext_noop("There are no words. Write any that nobody can guess: part WORDS"),
    ("notify", "no-hour"): gettext_noop(
        "Give the hour of your daily mail too; write for example: notify talk digest 08:00"
    ),
    ("vacation", "overlapping"): gettext_noop(
        "You have announced a vacation on some of these days already; to end it write: vacation off"
    ),
    ("agree", "no-proposal"): gettext_noop(
        "Nothing is proposed at {code}; to propose days off write: holiday FROM TO"
    ),
    ("refuse", "no-proposal"): gettext_noop(
        "Nothing is proposed at {code}; to propose days off write: holiday FROM TO"
    ),
    ("undo", "open-proposal"): gettext_noop(
        "The table has not answered the last proposal yet; write “agree” or “refuse” to settle it."
    ),
    ("holiday", "open-proposal"): gettext_noop(
        "The table has not answered the last proposal yet; write “agree” or “refuse” to settle it."
    ),
}
"""The sentence for a command and the code of its refusal; its parameters are those of the action's own sentence."""


def mail_sentence(command: str, refusal: Refused) -> Message:
    """The refusal of a command as a mail says it."""
    key = command, refusal.code
    return Message(_SENTENCES[key], refusal.message.params) if key in _SENTENCES else refusal.message
