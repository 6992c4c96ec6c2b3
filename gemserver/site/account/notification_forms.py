"""Forms for notification choices; they check shape only, the actions decide what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django import forms
from django.forms import BoundField
from django.forms.utils import ErrorList
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.lib.text.plain import colon
from gemserver.matches.models import Match, NotificationChoice
from gemserver.matches.notifications import NOT_IN_DIGEST, Wishes

Topic = NotificationChoice.Topic
Channel = NotificationChoice.Channel

AS_ELSEWHERE = "same"
"""The choice in one match to follow the choice for all matches."""

_HOUR = {"type": "time"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the grid: a radio button, or nothing (`value` empty) if the channel makes no sense for the topic."""

    name: str
    value: str
    label: str
    is_chosen: bool

    @property
    def id(self) -> str:
        return f"{self.name}-{self.value}"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the grid: a topic, its cells, and what is wrong with the choice."""

    label: str
    cells: list[Cell]
    errors: ErrorList


class ChannelsForm(forms.Form):
    """A grid with one channel for each topic; for one match `AS_ELSEWHERE` too. The hour applies to all matches."""

    digest_at = forms.TimeField(label=_("Hour of the digest"), required=False, widget=forms.TimeInput(_HOUR))

    def __init__(self, user: User, match: Match | None, data: object = None) -> None:
        hour = {"digest_at": user.digest_at}
        super().__init__(data, initial=hour, auto_id="channels-%s")  # type: ignore[arg-type]
        self.user, self.match = user, match
        self.wishes = Wishes.of(user)
        for topic in Topic:
            self.fields[topic.value] = forms.ChoiceField(label=topic.label, choices=self._choices(topic))
        if match is not None:
            del self.fields["digest_at"]

    def _choices(self, topic: NotificationChoice.Topic) -> list[tuple[str, str]]:
        offered = [
            (channel.value, str(channel.label))
            for channel in Channel
            if not (channel == Channel.DIGEST and topic in NOT_IN_DIGEST)
        ]
        same = [] if self.match is None else [(AS_ELSEWHERE, gettext("as in all matches"))]
        return [*same, *offered]

    @property
    def hour(self) -> BoundField | None:
        return self["digest_at"] if self.match is None else None

    @property
    def columns(self) -> list[str]:
        """The column headings."""
        return [label for _value, label in self._choices(Topic.TURN)]

    @property
    def rows(self) -> Iterator[Row]:
        """The rows of the grid."""
        values = [value for value, _label in self._choices(Topic.TURN)]
        for topic in Topic:
            offered = dict(self._choices(topic))
            chosen = self._chosen(topic)
            cells = [
                Cell(
                    topic.value,
                    value if value in offered else "",
                    f"{colon(topic.label)} {offered.get(value, '')}",
                    value == chosen,
                )
                for value in values
            ]
            yield Row(str(topic.label), cells, self[topic.value].errors)

    def _chosen(self, topic: NotificationChoice.Topic) -> str:
        """The marked choice: the one sent, else the stored one."""
        if self.is_bound and topic.value in self.data:
            return str(self.data[topic.value])
        if self.match is not None:
            return self.wishes.chosen.get((self.match.pk, topic), AS_ELSEWHERE)
        return self.wishes.channel(topic, None)

    def channels(self) -> dict[NotificationChoice.Topic, NotificationChoice.Channel | None]:
        """The choice for each topic; None for `AS_ELSEWHERE`."""
        given = {topic: self.cleaned_data[topic.value] for topic in Topic}
        return {topic: None if value == AS_ELSEWHERE else Channel(value) for topic, value in given.items()}


class SnoozeForm(forms.Form):
    """Asks for how many hours to hold back mail about turns."""

    hours = forms.TypedChoiceField(
        label=_("No mail about turns for"),
        coerce=int,
        choices=[
            (1, _("1 hour")),
            (3, _("3 hours")),
            (8, _("8 hours")),
            (24, _("1 day")),
            (72, _("3 days")),
        ],
    )
