"""Moderators' actions on what clubs and events say about themselves; who writes there is told by mail."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club
from gemserver.events.actions import clear_event
from gemserver.events.models import Event
from gemserver.matches.actions.clubs import clear_club
from gemserver.moderation.actions.action import Action, ActionForm, ActionRequest, Changed, Choices
from gemserver.moderation.actions.targets import Target, shown_clubs, shown_events
from gemserver.moderation.actions.told_text_field import ToldTextField
from gemserver.moderation.mails import PARTS, tell_cleared


class ClearForm(ActionForm):
    """A choice of texts, and what their writers are told."""

    kind = ""
    parts = forms.MultipleChoiceField(label=_("Take away"), widget=forms.CheckboxSelectMultiple)
    note = ToldTextField(
        label=_("What its organisers are told"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Why, and whom to write to if they think it is wrong."),
    )

    def __init__(self, subject: object, *args: object, **kwargs: object) -> None:
        super().__init__(subject, *args, **kwargs)
        words = [(part, gettext(said)) for (kind, part), said in PARTS.items() if kind == self.kind]
        self.fields["parts"].choices = words  # type: ignore[attr-defined]


class ClearClubForm(ClearForm):
    kind = "club"


class ClearEventForm(ClearForm):
    kind = "event"


def _clear_club(asked: ActionRequest, club: Club, choices: Choices) -> Changed:
    authors = Target.CLUB.authors_of(club)
    clear_club.clear_club(club.pk, [clear_club.Part(part) for part in choices["parts"]], now=asked.now)
    return _tell(asked, Target.CLUB, club.pk, authors, choices)


def _clear_event(asked: ActionRequest, event: Event, choices: Choices) -> Changed:
    authors = Target.EVENT.authors_of(event)
    clear_event.clear_event(event.pk, [clear_event.Part(part) for part in choices["parts"]])
    return _tell(asked, Target.EVENT, event.pk, authors, choices)


def _tell(asked: ActionRequest, target: Target, key: int, authors: list[User], choices: Choices) -> Changed:
    for author in authors:
        tell_cleared(
            author,
            f"{target.name.lower()}:{key}",
            choices["parts"],
            choices["note"],
            request_key=asked.request_key,
            now=asked.now,
        )
    # Not the words themselves, which the log would keep for good.
    return {"taken away": ", ".join(choices["parts"]), "note": choices["note"]}


CLEAR_CLUB = Action(
    "clear-club",
    _("Take texts of the club away"),
    Target.CLUB,
    Role.MODERATOR,
    _clear_club,
    form=ClearClubForm,
    applies=lambda club: shown_clubs().filter(pk=club.pk).exists(),
    warning=_("What is taken away is gone; its organisers are told by mail and may write anew."),
)
CLEAR_EVENT = Action(
    "clear-event",
    _("Take texts of the event away"),
    Target.EVENT,
    Role.MODERATOR,
    _clear_event,
    form=ClearEventForm,
    applies=lambda event: shown_events().filter(pk=event.pk).exists(),
    warning=_("What is taken away is gone; its organisers are told by mail and may write anew."),
)
