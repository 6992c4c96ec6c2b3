"""Forms about events; they check shape only, the actions decide what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from games import registry
from games.contract import GameMeta
from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.events.actions.event_terms import EventTerms
from gemserver.events.actions.open_event import find_faults
from gemserver.events.arithmetic.budget import offered_lengths
from gemserver.events.arithmetic.schedules import FEWEST_PLAYERS, MOST_PLAYERS
from gemserver.events.models import Event
from gemserver.lib import clock
from gemserver.matches.words.clocks import span
from gemserver.site.day_field import DayField
from gemserver.site.tables.table_forms import WordsField

LONGEST_SLUG = 30
PLAYERS_OF_SWISS = 2
"""Players at each table of a Swiss tournament."""


class NewEventForm(forms.Form):
    """A new event of one game."""

    name = forms.CharField(label=_("Name"), max_length=60)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=LONGEST_SLUG,
        required=False,
        help_text=_(
            "Small letters, digits and hyphens. People write it in mails: enter gem-league. Empty: made from "
            "the name."
        ),
    )
    about = forms.CharField(
        label=_("About the event"), required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )
    format = forms.ChoiceField(label=_("Format"), choices=Event.Format, widget=forms.RadioSelect)
    seats = forms.TypedChoiceField(
        label=_("Players at a table; in a Swiss tournament always two"), coerce=int
    )
    season_days = forms.TypedChoiceField(
        label=_("Length of a season; in a Swiss tournament, of a round"),
        coerce=int,
        required=False,
        empty_value=None,
    )
    starts_at = DayField(label=_("First day"), help_text=_("It begins at noon UTC."))
    division_size = forms.IntegerField(
        label=_("Players in a division, about"),
        min_value=FEWEST_PLAYERS,
        max_value=MOST_PLAYERS,
        required=False,
        help_text=_(
            "Empty: 7, or 8 at tables of eight. With 7 or 13 players in fours, 7 in threes and 21 in fives the "
            "schedule is exactly even."
        ),
    )
    exchanged = forms.IntegerField(
        label=_("How many go up and down after a season of a league"),
        min_value=0,
        max_value=10,
        required=False,
    )
    rounds = forms.IntegerField(
        label=_("Rounds of a Swiss tournament"), min_value=1, max_value=9, required=False
    )
    is_rated = forms.BooleanField(label=_("The results count for ratings"), required=False, initial=True)
    club = forms.ModelChoiceField(
        label=_("For the members of a club"),
        queryset=Club.objects.none(),
        required=False,
        empty_label=_("no club"),
        to_field_name="slug",
    )

    def __init__(self, meta: GameMeta, organiser: User, data: Mapping[str, Any] | None = None) -> None:
        tomorrow_week = (clock.now() + timedelta(days=8)).date()
        initial = {
            "format": Event.Format.LEAGUE,
            "seats": min(4, meta.max_seats),
            "starts_at": tomorrow_week,
            "exchanged": 2,
            "rounds": 5,
        }
        super().__init__(data, initial=initial)
        self.meta = meta
        self._choices("seats", {count: str(count) for count in range(meta.min_seats, meta.max_seats + 1)})
        if meta.min_seats > PLAYERS_OF_SWISS:
            self._choices("format", {kind: kind.label for kind in Event.Format if kind != Event.Format.SWISS})
        lengths = {days: span(timedelta(days=days)) for days in _lengths_of(meta)}
        self._choices("season_days", {"": _("as short as people need"), **lengths})
        roles = [Member.Role.OWNER, Member.Role.ORGANISER]
        mine = Club.objects.filter(closed_at=None, members__user=organiser, members__role__in=roles)
        self.fields["club"].queryset = mine  # type: ignore[attr-defined]

    def _choices(self, name: str, choices: Mapping[Any, Any]) -> None:
        self.fields[name].choices = list(choices.items())  # type: ignore[attr-defined]

    def clean_slug(self) -> str:
        """The short name; if it is empty, one made of the name, where that has Latin letters."""
        made = slugify(self.cleaned_data.get("name", "")).replace("_", "-").lstrip("-0123456789")
        slug = self.cleaned_data["slug"] or made[:LONGEST_SLUG].rstrip("-")
        if not slug and "name" in self.cleaned_data:
            raise forms.ValidationError(_("Write a short name of small letters, digits and hyphens."))
        return str(slug)

    def clean(self) -> dict[str, Any] | None:
        """Say at once what the action would refuse, each fault beside its field."""
        given = super().clean()
        for name, fault in find_faults(self.terms(), now=clock.now()).items():
            waits_for_name = name == "slug" and not self.cleaned_data.get("slug")
            if name not in self.errors and not waits_for_name:
                self.add_error(name, fault.text())
        return given

    def terms(self) -> EventTerms:
        """The chosen terms, as `open_event` takes them, with what is usual where a field is refused."""
        chosen: dict[str, Any] = dict.fromkeys(self.fields)
        chosen |= {"name": "-", "slug": "", "about": "", **self.initial, **self.cleaned_data}
        day = chosen["starts_at"]
        chosen["starts_at"] = datetime(day.year, day.month, day.day, 12, tzinfo=clock.now().tzinfo)
        chosen["format"] = Event.Format(chosen["format"])
        is_league, is_swiss = (chosen["format"] == kind for kind in (Event.Format.LEAGUE, Event.Format.SWISS))
        chosen["exchanged"] = (chosen["exchanged"] or 0) if is_league else 0
        chosen["rounds"] = (chosen["rounds"] or 1) if is_swiss else 1
        chosen["seats"] = PLAYERS_OF_SWISS if is_swiss else chosen["seats"]
        if chosen["season_days"]:
            chosen["season_days"] *= chosen["rounds"]
        return EventTerms(**chosen, game=self.meta.slug)


def _lengths_of(meta: GameMeta) -> list[int]:
    """The lengths of a season that fit some table of the game, in days."""
    is_sealed = bool(registry.game(meta.slug).sealed_pace)
    tables = range(meta.min_seats, meta.max_seats + 1)
    return sorted(
        {days for seats in tables for days in offered_lengths(meta.slug, seats, is_sealed=is_sealed)}
    )


class EnterForm(forms.Form):
    """A player's part of all deals of a season."""

    words = WordsField()


class DecideForm(forms.Form):
    """An organiser's decision with its reason, which is asked last."""

    field_order = ("fixture", "ranks", "entry", "points", "newcomer", "reason")
    reason = forms.CharField(label=_("Reason, shown to everybody"), max_length=500, required=False)


class AdjudicateForm(DecideForm):
    """The ranks that count for a fixture."""

    fixture = forms.TypedChoiceField(label=_("Fixture"), coerce=int)
    ranks = forms.RegexField(
        r"^\s*\d( +\d)*\s*$",
        label=_("Ranks in turn order, such as 1 2 2 4"),
        error_messages={
            "invalid": _("Write a rank for each player in turn order, with spaces between them.")
        },
    )


class CorrectForm(DecideForm):
    """Points to be given or taken."""

    entry = forms.TypedChoiceField(label=_("Player"), coerce=int)
    points = forms.DecimalField(
        label=_("Points to add, or with − to take away"), decimal_places=2, max_digits=5
    )


class ReplaceForm(DecideForm):
    """Somebody who takes over from a player."""

    entry = forms.TypedChoiceField(label=_("Player"), coerce=int)
    newcomer = forms.CharField(label=_("Name of the player who takes over"), max_length=80)


class ShareForm(forms.Form):
    """Somebody who is to organise the event too."""

    organiser = forms.CharField(label=_("Name of the player"), max_length=80)


def games_to_choose() -> list[GameMeta]:
    """All games that are offered."""
    return [entry.rules.meta for entry in registry.GAMES.values()]
