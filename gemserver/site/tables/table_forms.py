"""Forms about tables; they check shape only, the actions decide what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from games.contract import GameMeta, Option
from gemserver.clocks.control import PRESETS, USUAL_CLOCK, TimeControl
from gemserver.clubs.models import Club
from gemserver.matches.actions.tables.give_part import LONGEST_WORDS
from gemserver.matches.actions.tables.terms import Terms, check_clock, check_vacation
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.words.clocks import absence_rule, pace_words
from gemserver.matches.words.options import option_label, value_words

OWN_CLOCK = "own"
BOT_CHOICES = [
    (str(bot), bot.label) for bot in (Seat.Bot.EASY, Seat.Bot.NORMAL, Seat.Bot.HARD, Seat.Bot.RANDOM)
]
"""Strengths of bots for people to choose from, the most welcome first."""


def _absence_label(absence: Match.Absence) -> str:
    return absence_rule(absence).rstrip(".")


def _option_field(option: Option) -> forms.ChoiceField:
    choices = [(value, value_words(value)) for value in option.values]
    label = option_label(option)
    if not option.per_seat:
        return forms.ChoiceField(label=label, choices=choices, required=False)
    return forms.ChoiceField(
        label=label,
        choices=choices,
        initial=option.values[0],
        required=False,
        help_text=gettext("At a smaller table the last ones are left out."),
        widget=forms.RadioSelect,
    )


def value_templates(game: str, option: Option) -> tuple[str, str]:
    """The templates that show a value of the option: the game's own picture, else words."""
    return f"games/{game}/option_{option.name}.html", "matches/_option_value.html"


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """The field of one option of a game, and the templates that show its values."""

    field: forms.BoundField
    templates: tuple[str, str]
    is_pictured: bool


class WordsField(forms.CharField):
    """A player's own part of the seed, typed or made by the browser."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Your own part of the deal"),
            required=False,
            max_length=LONGEST_WORDS,
            widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "data-random": ""}),
            help_text=_(
                "Any words that nobody can guess. They are mixed into the deal, so that nobody can have chosen it. "
                "You may leave this empty."
            ),
        )


class HoursField(forms.FloatField):
    """A duration in hours."""

    def __init__(self, label: Any) -> None:
        super().__init__(label=label, required=False, min_value=0, max_value=10_000)
        self.widget.attrs["step"] = "any"


class NewTableForm(forms.Form):
    """A new table of one game, with a field `option_NAME` for each of the game's options."""

    seats = forms.TypedChoiceField(label=_("Seats"), coerce=int)
    clock = forms.ChoiceField(label=_("How long may a move take?"), widget=forms.RadioSelect)
    bank = HoursField(_("Bank: hours at the start"))
    increment = HoursField(_("Increment: hours more after each move"))
    cap = HoursField(_("Cap: never more hours than"))
    access = forms.ChoiceField(
        label=_("Who may join"), widget=forms.RadioSelect, choices=Match.Access, initial=Match.Access.ANYONE
    )
    bots = forms.TypedChoiceField(label=_("Seats for bots"), coerce=int)
    strength = forms.ChoiceField(label=_("Strength of these bots"), choices=BOT_CHOICES, required=False)
    allows_bots = forms.BooleanField(
        label=_("Bots may join: accounts that only programs use, marked as such"), required=False
    )
    rated = forms.ChoiceField(
        label=_("Rated: the result changes the players' ratings"),
        choices=[
            ("", _("as usual: yes, if anyone may join and no bots may")),
            ("yes", _("yes")),
            ("no", _("no")),
        ],
        required=False,
    )
    starts_when_full = forms.BooleanField(
        label=_("Begin as soon as all seats are taken"),
        required=False,
        initial=True,
        help_text=_("Otherwise the match waits until a player presses the button."),
    )
    club = forms.ChoiceField(
        label=_("For a club"), required=False, help_text=_("Only its members join a club's table.")
    )
    free_weekends = forms.BooleanField(
        label=_("Weekends are free: Saturday and Sunday do not count, in each player's zone"), required=False
    )
    vacation_days = forms.IntegerField(
        label=_("Days of vacation that do not count, for each player"),
        required=False,
        min_value=0,
        help_text=_("Empty: all the vacation that players have. 0: none."),
    )
    absence = forms.ChoiceField(
        label=_("When somebody does not move in time"),
        widget=forms.RadioSelect,
        choices=[(str(way), lazy(_absence_label, str)(way)) for way in Match.Absence],
    )
    words = WordsField()

    def __init__(
        self,
        meta: GameMeta,
        data: Mapping[str, Any] | None = None,
        *,
        clubs: Sequence[Club] = (),
        **kwargs: Any,
    ) -> None:
        kwargs["initial"] = {
            "clock": USUAL_CLOCK,
            "absence": Match.Absence.DEFAULT,
            "access": Match.Access.ANYONE,
            "bots": 0,
            **kwargs.get("initial", {}),
        }
        super().__init__(data, **kwargs)
        self.meta = meta
        self.clubs = {club.slug: club for club in clubs}
        own = [(club.slug, club.name) for club in clubs]
        self._field("club").choices = [("", gettext("no club")), *own]
        self._set_choices("seats", range(meta.min_seats, meta.max_seats + 1))
        self._set_choices("bots", range(meta.max_seats))
        clocks = [(name, pace_words(control)) for name, control in PRESETS.items()]
        self._field("clock").choices = [*clocks, (OWN_CLOCK, gettext("another pace of your own"))]
        for option in meta.options:
            self.fields[f"option_{option.name}"] = _option_field(option)

    def _set_choices(self, name: str, numbers: range) -> None:
        self._field(name).choices = [(number, str(number)) for number in numbers]

    def _field(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    @property
    def options_to_choose(self) -> list[OptionChoice]:
        """The fields of the game's own options."""
        return [
            OptionChoice(
                self[f"option_{option.name}"], value_templates(self.meta.slug, option), option.per_seat
            )
            for option in self.meta.options
        ]

    @property
    def folded(self) -> list[str]:
        """The choices that are folded away, in a few words."""
        chosen = {**self.initial, **(self.cleaned_data if self.is_bound else {})}
        bots, words = int(chosen["bots"]), []
        if bots:
            words.append(ngettext("%(n)d bot", "%(n)d bots", bots) % {"n": bots})
        access = Match.Access(chosen["access"])
        if chosen.get("allows_bots"):
            words.append(gettext("bots may join"))
        club = self.clubs.get(chosen.get("club") or "")
        return [*words, str(access.label), *([club.name] if club else [])]

    def clean(self) -> dict[str, Any] | None:
        given = super().clean() or self.cleaned_data
        for name in ("bank", "increment", "cap"):
            if given.get("clock") != OWN_CLOCK:
                self.errors.pop(name, None)  # the page hides it then
            elif name not in self.errors and given.get(name) is None:
                self.add_error(name, _("Write hours here for a pace of your own."))
        if (given.get("bots") or 0) >= (given.get("seats") or self.meta.max_seats):
            self.add_error("bots", _("Leave at least your own seat to a person."))
        if not self.errors.keys() & {"clock", "bank", "increment", "cap"}:
            self._add_fault("bank", lambda: check_clock(self.time_control()))
        if "vacation_days" not in self.errors:
            self._add_fault("vacation_days", lambda: check_vacation(given["vacation_days"]))
        return given

    def _add_fault(self, name: str, check: Callable[[], None]) -> None:
        """Say at once beside this field what the action would refuse."""
        try:
            check()
        except Refused as refused:
            self.add_error(name, refused.text())

    def time_control(self) -> TimeControl:
        """The chosen clock."""
        given = self.cleaned_data
        if given["clock"] != OWN_CLOCK:
            return PRESETS[given["clock"]]
        spans = [timedelta(hours=given[name]) for name in ("bank", "increment", "cap")]
        return TimeControl(*spans)

    def options(self) -> dict[str, str]:
        """The game's options; a value with a letter for each seat is cut to the number of seats."""
        given = self.cleaned_data
        chosen = {option: given[f"option_{option.name}"] for option in self.meta.options}
        return {
            option.name: value[: given["seats"]] if option.per_seat else value
            for option, value in chosen.items()
            if value
        }

    def terms(self) -> Terms:
        """The chosen terms."""
        given = self.cleaned_data
        strength = Seat.Bot(given["strength"] or Seat.Bot.EASY)
        return Terms(
            game=self.meta.slug,
            seats=given["seats"],
            options=self.options(),
            time_control=self.time_control(),
            free_weekends=given["free_weekends"],
            vacation_days=given["vacation_days"],
            absence=Match.Absence(given["absence"]),
            access=Match.Access(given["access"]),
            starts_when_full=given["starts_when_full"],
            allows_bots=given["allows_bots"],
            is_rated={"yes": True, "no": False}.get(given["rated"]),
            bots=[strength] * given["bots"],
            club=self.clubs.get(given["club"]),
        )


class TermsForm(NewTableForm):
    """The terms of a table that waits, as far as they can change: without those that its deal was promised with."""

    def __init__(self, meta: GameMeta, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(meta, data, **kwargs)
        for name in ("bots", "strength", "allows_bots", "club", "words"):
            del self.fields[name]
        for option in meta.options:
            del self.fields[f"option_{option.name}"]
        self._field("rated").choices = [("yes", gettext("yes")), ("no", gettext("no"))]

    def terms(self) -> Terms:
        given = self.cleaned_data
        return Terms(
            game=self.meta.slug,
            seats=given["seats"],
            time_control=self.time_control(),
            free_weekends=given["free_weekends"],
            vacation_days=given["vacation_days"],
            absence=Match.Absence(given["absence"]),
            access=Match.Access(given["access"]),
            starts_when_full=given["starts_when_full"],
            is_rated=given["rated"] == "yes",
        )
