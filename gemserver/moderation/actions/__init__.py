"""Moderators' actions: each needs a reason, is audited, and is safe to repeat."""

from gemserver.moderation.actions import mails, matches, people, seats, talk, texts
from gemserver.moderation.actions.action import Action
from gemserver.moderation.actions.targets import Target

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


def actions_for(target: Target, subject: object) -> list[Action]:
    """The actions that apply to this subject as it stands."""
    return [action for action in ACTIONS.values() if action.target is target and action.applies(subject)]
