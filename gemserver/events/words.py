"""Events in words: formats, tie-breaks, points, what is still possible, and how even a schedule is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_noop, ngettext

from gemserver.events.arithmetic.bounds import Bound
from gemserver.events.arithmetic.budget import CLOSING, bank_for
from gemserver.events.arithmetic.points import POINTS
from gemserver.events.arithmetic.schedules import Balance
from gemserver.events.arithmetic.tables import TieBreak
from gemserver.events.models import Entry, Event
from gemserver.events.seasons import round_days
from gemserver.lib.text.fractions import show_fraction
from gemserver.matches.words.clocks import span

TIE_BREAKS: Mapping[TieBreak, tuple[str, str]] = {
    TieBreak.FIRSTS: (
        gettext_noop("Firsts"),
        gettext_noop("first places; whoever shares one has a share of it"),
    ),
    TieBreak.HEAD_TO_HEAD: (
        gettext_noop("Among them"),
        gettext_noop("how often one was above another of those who are equal, less how often below"),
    ),
    TieBreak.SCORE_SHARE: (
        gettext_noop("Score share"),
        gettext_noop(
            "in each fixture, how far a player's score is above the last player's, as a share of all such scores"
        ),
    ),
    TieBreak.BUCHHOLZ_CUT: (
        gettext_noop("Buchholz −1"),
        gettext_noop("the points of all opponents but the weakest, by the rules of FIDE"),
    ),
    TieBreak.BUCHHOLZ: (
        gettext_noop("Buchholz"),
        gettext_noop("the points of all opponents, by the rules of FIDE"),
    ),
    TieBreak.SONNEBORN_BERGER: (
        gettext_noop("S.-Berger"),
        gettext_noop("the points of opponents who were beaten, half of those who drew, by the rules of FIDE"),
    ),
    TieBreak.LOT: (
        gettext_noop("Lot"),
        gettext_noop(
            "drawn from the secret of the season, whose fingerprint was shown before anybody entered"
        ),
    ),
}
"""The head of its column and what it counts."""


def name_of(entry: Entry) -> str:
    """The player's name; `player 3` of the division once the account is gone."""
    if entry.player is not None:
        return entry.player.shown_name
    return gettext("player %(number)d") % {"number": (entry.number or 0) + 1}


def show_value(tie_break: TieBreak, value: Fraction) -> str:
    """The value of a tie-break in its column: shares to three digits, lots by their first digits."""
    if tie_break is TieBreak.LOT:
        return f"{int(value):064x}"[:6] if value else ""
    if tie_break is TieBreak.SCORE_SHARE:
        return number_format(float(value), 3)
    return show_fraction(value)


def say_bound(bound: Bound) -> str:
    """The places that are still possible: `2–4`, or one."""
    return f"{bound.best}" if bound.best == bound.worst else f"{bound.best}–{bound.worst}"


def say_format(event: Event) -> str:
    """The format in a sentence."""
    if event.format == Event.Format.SWISS:
        return ngettext(
            "A Swiss tournament of %(rounds)d round: in each, you meet somebody with as many points.",
            "A Swiss tournament of %(rounds)d rounds: in each, you meet somebody with as many points.",
            event.rounds,
        ) % {"rounds": event.rounds}
    if event.format == Event.Format.TOURNAMENT:
        return gettext("A tournament in groups: everybody plays all fixtures of the group at once.")
    if not event.exchanged:
        return gettext("A league: everybody plays all fixtures of the division at once.")
    return ngettext(
        "A league: everybody plays all fixtures of the division at once, then one goes up and one down.",
        "A league: everybody plays all fixtures of the division at once, then %(number)d go up and %(number)d down.",
        event.exchanged,
    ) % {"number": event.exchanged}


def say_rules(event: Event) -> list[str]:
    """The rules of the event, a sentence each."""
    points = " / ".join(str(number) for number in POINTS[event.seats])
    budget = span(bank_for(round_days(event), event.seats))
    return [
        say_format(event),
        gettext("Points by place: %(points)s. Whoever shares a place has an equal share of the points.")
        % {"points": points},
        gettext("Each player has %(budget)s for each match. Nights, weekends and vacations count in it.")
        % {"budget": budget},
        gettext("When somebody's time is used up, a bot plays until the player is back."),
        gettext("The season ends on its date: %(closing)s before it, bots begin to play what is left.")
        % {"closing": span(timedelta(CLOSING.days))},
        gettext("If somebody withdraws, a bot plays on and they are listed last; the others' results count."),
        gettext(
            "The results count for ratings, except in a match that an organiser or the end of the season "
            "breaks off."
        )
        if event.is_rated
        else gettext("The results do not count for ratings."),
    ]


def say_balance(balance: Balance) -> str:
    """Say how even the schedule of a division is."""
    told = {
        "fixtures": balance.fixtures[0],
        "met": _range(*balance.meetings),
        "most_met": balance.meetings[1],
        "placed": _range(*balance.places),
        "most_placed": balance.places[1],
    }
    if balance.is_exact:
        return (
            gettext(
                "Fixtures of each player: %(fixtures)d. The schedule is exactly even: any two players meet equally "
                "often (%(most_met)d×), and everybody has every place in the turn order equally often "
                "(%(most_placed)d×)."
            )
            % told
        )
    return (
        gettext(
            "Fixtures of each player: %(fixtures)d. Two players meet %(met)s×, and everybody has every place in "
            "the turn order %(placed)s×: for this number of players it is the most even schedule that was found."
        )
        % told
    )


def _range(least: int, most: int) -> str:
    return str(most) if least == most else f"{least}–{most}"
