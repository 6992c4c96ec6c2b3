"""What moderators can do: each measure needs a reason, is audited, and is safe to repeat."""

from gemserver.moderation.measures import mails, matches, people, seats, talk
from gemserver.moderation.measures.contract import Measure
from gemserver.moderation.measures.targets import Target

MEASURES: dict[str, Measure] = {
    measure.verb: measure
    for measure in (
        *(matches.PAUSE, matches.RESUME, matches.VOID, matches.ADJUDICATE),
        *(seats.EXTEND, seats.REPLACE, seats.OPEN, seats.TO_BOT),
        *(mails.RESEND, mails.RELEASE, mails.REJECT),
        *(people.BAN, people.LIFT_BAN, people.GIVE_ROLE, people.VERIFY),
        *(people.BAN_ADDRESS, people.LIFT_ADDRESS, people.TRY_ADDRESS),
        *(talk.REMOVE, talk.CLOSE),
    )
}
"""By verb, as it stands in addresses and in the audit log."""


def measures_for(target: Target, subject: object) -> list[Measure]:
    """What can be done about this subject as it stands."""
    return [measure for measure in MEASURES.values() if measure.target is target and measure.applies(subject)]
