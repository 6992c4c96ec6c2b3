"""What a moderator can do to something, and the one way in which it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeAlias

from django import forms
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.matches import selectors
from gemserver.matches.refusal import Refused
from gemserver.moderation import audit
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.models import AuditEntry

REASON_LENGTH = 500


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """Who wants it done, why, when; `request_key` names this request of theirs for good, so that it acts once."""

    moderator: User
    reason: str
    request_key: str
    now: datetime
    seen: int | None = None
    """The last entry about the subject when the form was shown; another moderator's since then stops the request."""


Choices: TypeAlias = Mapping[str, Any]
"""The cleaned fields of a action's form."""

Changed: TypeAlias = Mapping[str, object]
"""What a action changed, for the audit log."""


class ActionForm(forms.Form):
    """What every action asks for: a reason. Those that need more add their fields."""

    reason = forms.CharField(
        label=_("Reason"), max_length=REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(self, subject: Any, *args: Any, **kwargs: Any) -> None:
        self.subject = subject
        super().__init__(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class Action:
    """One kind of thing that moderators do. `carry_out` gets the asked, the subject and the form's choices."""

    verb: str
    title: str | Promise
    target: Target
    role: Role
    carry_out: Callable[[ActionRequest, Any, Choices], Changed]
    form: type[ActionForm] = ActionForm
    warning: str | Promise = ""
    """What cannot be undone, or what people will notice; asked to be confirmed."""
    applies: Callable[[Any], bool] = lambda subject: True
    """Whether it makes sense as the subject stands."""

    def is_told(self, subject: Any) -> bool:
        """Whether the table reads the reason in its log; that something was reported is not for the table."""
        return self.target is not Target.REPORT and self.target.match_of(subject) is not None

    def make_form(self, subject: Any, data: Mapping[str, Any] | None) -> ActionForm:
        """The form, which says who will read the reason."""
        form = self.form(subject, data)
        form.fields["reason"].help_text = (
            _("Shown to the table, and kept in the audit log for good.")
            if self.is_told(subject)
            else _("Kept in the audit log for good; nobody but moderators reads it.")
        )
        return form


def perform(action: Action, asked: ActionRequest, subject: Any, choices: Choices) -> AuditEntry:
    """Carry a action out and write it down, in one transaction; a request that was carried out changes nothing more.

    Raises Refused(no-role, party, meanwhile, no-longer), and what the action raises; then nothing has changed.
    """
    with transaction.atomic():
        audit.lock()
        if not asked.moderator.has_role(action.role):
            raise Refused("no-role", "Your role does not allow this; ask another moderator.")
        require_no_party(asked.moderator, action, subject)
        name = _name_request(action, asked, subject)
        if earlier := audit.entry_of(name):
            return earlier
        _require_as_seen(action, asked, subject)
        match, about = action.target.match_of(subject), action.target.describe(subject)
        changed = action.carry_out(asked, subject, choices)
        return audit.write(
            asked.moderator,
            action.verb,
            reason=asked.reason,
            request_key=name,
            now=asked.now,
            match=match.code if match else "",
            subject=about,
            data=changed,
        )


def _name_request(action: Action, asked: ActionRequest, subject: Any) -> str:
    """What the request is kept under: the same key of another moderator, or for something else, is another request."""
    parts = (asked.moderator.pk, action.verb, action.target.key_of(subject), asked.request_key)
    return sha256(json.dumps(parts).encode()).hexdigest()


def require_no_party(moderator: User, action: Action, subject: Any) -> None:
    """Raises Refused(party) for a moderator who plays in the match, or with the person, that is concerned."""
    match, person = action.target.match_of(subject), action.target.person_of(subject)
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


def last_about(target: Target, subject: Any) -> AuditEntry | None:
    """What moderators did last in the match that is concerned, or else about the subject itself."""
    match = target.match_of(subject)
    rows = AuditEntry.objects.filter(match=match.code if match else "")
    return (rows if match else rows.filter(subject=target.describe(subject))).first()


def _require_as_seen(action: Action, asked: ActionRequest, subject: Any) -> None:
    """Raises Refused(meanwhile, no-longer) when the form was filled in for something that is not so any more."""
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
            "This cannot be done any more, for things have changed; go back and look how they stand now.",
        )
