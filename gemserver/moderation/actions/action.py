"""`Action`, and `perform`, which carries out every action."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeAlias

from django import forms
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib.database.advisory_locks import decide_alone
from gemserver.matches import selectors
from gemserver.matches.refusal import Refused
from gemserver.moderation import audit
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.actions.told_text_field import ToldTextField
from gemserver.moderation.models import AuditEntry

REASON_LENGTH = 500


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """A moderator's request for an action; `request_key` identifies it among theirs, so that it acts only once."""

    moderator: User
    reason: str
    request_key: str
    now: datetime
    seen: int | None = None
    """The last audit entry about the subject when the form was shown; a later one by another moderator stops it."""


Choices: TypeAlias = Mapping[str, Any]
"""The cleaned fields of an action's form."""

Changed: TypeAlias = Mapping[str, object]
"""The changes that an action made, for the audit log."""


class ActionForm(forms.Form):
    """The form of every action: a reason. Actions that need more add their fields."""

    reason = ToldTextField(
        label=_("Reason"), max_length=REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(self, subject: Any, *args: Any, **kwargs: Any) -> None:
        self.subject = subject
        super().__init__(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class Action:
    """A kind of action. `carry_out` gets the request, the subject and the form's choices."""

    verb: str
    title: str | Promise
    target: Target
    role: Role
    carry_out: Callable[[ActionRequest, Any, Choices], Changed]
    form: type[ActionForm] = ActionForm
    warning: str | Promise = ""
    """Anything that cannot be undone or that people will notice; the form asks for confirmation."""
    applies: Callable[[Any], bool] = lambda subject: True
    """True if the action makes sense for the subject as it stands."""
    is_about_result: bool = False
    """True if whoever has played in the match may not act, although it is over."""

    def is_told(self, subject: Any) -> bool:
        """True if the table reads the reason in its log; reports are never told to the table."""
        return self.target is not Target.REPORT and self.target.match_of(subject) is not None

    def make_form(self, subject: Any, data: Mapping[str, Any] | None) -> ActionForm:
        """Make the form, which says who will read the reason."""
        form = self.form(subject, data)
        form.fields["reason"].help_text = (
            _("Shown to the table, and kept in the audit log for good.")
            if self.is_told(subject)
            else _("Kept in the audit log for good; nobody but moderators reads it.")
        )
        return form


def perform(action: Action, asked: ActionRequest, subject: Any, choices: Choices) -> AuditEntry:
    """Carry out an action and write its audit entry, in one transaction; repeating a request changes nothing.

    Actions about one match, and those about none, happen one after the other: a match that is held holds up no action
    about another.
    Raises Refused(no-role, party, meanwhile, no-longer), or what the action raises; nothing has changed then.
    """
    with transaction.atomic():
        match = action.target.match_of(subject)
        decide_alone(match.code if match else "")
        # Read anew: while this waited, the role may have been taken away.
        moderator = User.objects.filter(pk=asked.moderator.pk, is_active=True).first()
        if moderator is None or not moderator.has_role(action.role):
            raise Refused("no-role", "Your role does not allow this; ask another moderator.")
        asked = replace(asked, moderator=moderator)
        require_no_party(moderator, action, subject)
        name = _name_request(action, asked, subject)
        if earlier := audit.entry_of(name):
            return earlier
        _require_as_seen(action, asked, subject)
        about = action.target.describe(subject)
        changed = action.carry_out(asked, subject, choices)
        return audit.write(
            moderator,
            action.verb,
            reason=asked.reason,
            request_key=name,
            now=asked.now,
            match=match.code if match else "",
            subject=about,
            data=changed,
        )


def _name_request(action: Action, asked: ActionRequest, subject: Any) -> str:
    """The stored name of the request; with another moderator, action or subject the same key is another request."""
    parts = (asked.moderator.pk, action.verb, action.target.key_of(subject), asked.request_key)
    return sha256(json.dumps(parts).encode()).hexdigest()


def require_no_party(moderator: User, action: Action, subject: Any) -> None:
    """Raise Refused(party) if the moderator takes part in the match, answers for the text, or plays with the person."""
    if moderator in action.target.authors_of(subject):
        raise Refused("party", "This is about you or your words; ask another moderator to look at it.")
    match, person = action.target.match_of(subject), action.target.person_of(subject)
    is_player = match is not None and action.is_about_result and selectors.has_played(moderator, match)
    if match is not None and (is_player or selectors.is_party(moderator, match)):
        raise Refused(
            "party",
            "You have a part in {code} yourself; ask another moderator to look at it.",
            code=match.code,
        )
    if person is not None and selectors.tablemates(moderator).filter(pk=person.pk).exists():
        raise Refused(
            "party",
            "You are playing with {name} just now; ask another moderator to look at it.",
            name=person.username,
        )


def last_about(target: Target, subject: Any) -> AuditEntry | None:
    """The last audit entry on the match concerned; without a match, on the subject itself."""
    match = target.match_of(subject)
    rows = AuditEntry.objects.filter(match=match.code if match else "")
    return (rows if match else rows.filter(subject=target.describe(subject))).first()


def _require_as_seen(action: Action, asked: ActionRequest, subject: Any) -> None:
    """Raise Refused(meanwhile, no-longer) if things have changed since the form was shown."""
    last = last_about(action.target, subject) if asked.seen is not None else None
    if last and last.number > (asked.seen or 0) and last.moderator != asked.moderator.pk:
        raise Refused(
            "meanwhile",
            "{name} has done this meanwhile: “{entry}” ({reason}). See whether yours is still needed; "
            "if it is, send the form again.",
            name=last.moderator_name,
            entry=str(last),
            reason=last.reason,
        )
    if not action.applies(action.target.find(action.target.key_of(subject))):
        raise Refused(
            "no-longer",
            "This cannot be done any more, for things have changed; go back and see how they stand now.",
        )
