"""Moderators' actions: each needs a reason, is audited, and is safe to repeat."""

from django.utils.translation import gettext_lazy as _

from gemserver.moderation.actions import mails, matches, people, seats, talk, texts
from gemserver.moderation.actions.action import Action
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.models import AuditEntry

ACTIONS: dict[str, Action] = {
    action.verb: action
    for action in (
        *(matches.PAUSE, matches.RESUME, matches.VOID, matches.RESTORE, matches.ADJUDICATE, matches.UNRATE),
        *(seats.EXTEND, seats.REPLACE, seats.OPEN, seats.TO_BOT),
        *(mails.RESEND, mails.RELEASE, mails.REJECT),
        *(people.BAN, people.LIFT_BAN, people.MUTE, people.LIFT_MUTE, people.GIVE_ROLE, people.VERIFY),
        *(people.BAN_ADDRESS, people.LIFT_ADDRESS, people.TRY_ADDRESS),
        *(talk.REMOVE, talk.CLOSE, talk.CLEAR_NAME),
        *(texts.CLEAR_CLUB, texts.CLEAR_EVENT),
    )
}
"""By verb, which appears in addresses and in the audit log."""

_DONE_BY_TIME = {
    "ban-over": _("End a ban whose time is over"),
    "mute-over": _("End a mute whose time is over"),
}
"""The server's own actions (`timed_bans`)."""


def say_verb(verb: str) -> str:
    """The action's name in the active language; the verb itself if there is no such action any more."""
    action = ACTIONS.get(verb)
    return str(action.title if action else _DONE_BY_TIME.get(verb, verb))


def say_entry(entry: AuditEntry) -> str:
    """The entry's number, action and subject, in the active language."""
    return " ".join(filter(None, (f"{entry.number}:", say_verb(entry.verb), entry.match, entry.subject)))


def actions_for(target: Target, subject: object) -> list[Action]:
    """The actions that apply to this subject as it stands."""
    return [action for action in ACTIONS.values() if action.target is target and action.applies(subject)]
