"""What a moderator can do to something, and the one way in which it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, TypeAlias

from django import forms
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.matches import selectors
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.moderation import audit
from gemserver.moderation.models import AuditEntry

REASON_LENGTH = 500


class Target(Enum):
    """What a measure is about."""

    MATCH = "match"
    SEAT = "seat"
    MESSAGE = "message"
    REPORT = "report"
    OUTGOING = "outgoing"
    INCOMING = "incoming"
    PLAYER = "player"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Order:
    """Who wants it done, why, when; `request_key` names this request for good, so that it acts once."""

    moderator: User
    reason: str
    request_key: str
    now: datetime


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, for the audit log: about whom or what, and what it changed."""

    subject: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


Choices: TypeAlias = Mapping[str, Any]
"""The cleaned fields of a measure's form."""


class MeasureForm(forms.Form):
    """What every measure asks for: a reason. Those that need more add their fields."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Kept in the audit log for good, and shown to the table where one is concerned."),
    )

    def __init__(self, subject: object, *args: Any, **kwargs: Any) -> None:
        self.subject = subject
        super().__init__(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class Measure:
    """One kind of thing that moderators do. `carry_out` gets the order, the subject and the form's choices."""

    verb: str
    title: str | Promise
    target: Target
    role: Role
    carry_out: Callable[[Order, Any, Choices], Done]
    match_of: Callable[[Any], Match | None] = lambda subject: None
    """The match that is concerned: who has to do with it themselves may not act."""
    form: type[MeasureForm] = MeasureForm
    warning: str | Promise = ""
    """What cannot be undone, or what people will notice; asked to be confirmed."""
    applies: Callable[[Any], bool] = lambda subject: True
    """Whether it makes sense as the subject stands."""
    person_of: Callable[[Any], User | None] = lambda subject: None
    """The person who is concerned: who plays with them just now may not act."""


def perform(measure: Measure, order: Order, subject: Any, choices: Choices) -> AuditEntry:
    """Carry a measure out and write it down, in one transaction; a request that was carried out changes nothing more.

    Raises Refused(no-role, party), and what the measure's action raises; then nothing has changed.
    """
    with transaction.atomic():
        audit.lock()
        if earlier := audit.entry_of(order.request_key):
            return earlier
        if not order.moderator.has_role(measure.role):
            raise Refused("no-role", "Your role does not allow this; ask another moderator.")
        require_no_party(order.moderator, measure, subject)
        match = measure.match_of(subject)
        done = measure.carry_out(order, subject, choices)
        return audit.write(
            order.moderator,
            measure.verb,
            reason=order.reason,
            request_key=order.request_key,
            now=order.now,
            match=match.code if match else "",
            subject=done.subject,
            data=done.data,
        )


def require_no_party(moderator: User, measure: Measure, subject: Any) -> None:
    """Raises Refused(party) for a moderator who plays in the match, or with the person, that is concerned."""
    match, person = measure.match_of(subject), measure.person_of(subject)
    if match is not None and selectors.is_party(moderator, match):
        raise Refused(
            "party",
            "You have a part in {code} yourself; ask another moderator to look at it.",
            code=match.code,
        )
    if person is not None and selectors.tablemates(moderator).filter(pk=person.pk).exists():
        raise Refused(
            "party",
            "You play with {name} just now; ask another moderator to look at it.",
            name=person.username,
        )
