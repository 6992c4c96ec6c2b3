"""The commands about leagues and tournaments: enter, withdraw, standings, report. `events` only shows something.

An event is named by its short name or its full one, in any case. A sentence that merely begins with one of these words
names none, and is read as nothing (`read_event_name`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from types import MappingProxyType

from games.contract import Json, Message
from gemserver.accounts.models import User
from gemserver.events.actions.enter import enter
from gemserver.events.actions.report_event import report_event
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Event, Replacement, Season
from gemserver.events.replacements import open_questions
from gemserver.events.selectors import events_seen_by, season_with_table
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler, NotSure
from gemserver.mailgate.lines.commands import Command, Line, MoveLine
from gemserver.matches.refusal import Refused

MOST_MEANT = 3
ALIKE = 0.75
"""The share of equal letters from which on a name is taken for a misspelt one."""


def read_event_name(line: MoveLine, user: User) -> Line:
    """`enter Winter league` as the command, if there is an event of just this name; any other line as it was."""
    word, _, argument = line.text.partition(" ")
    if word.lower() not in _BY_FULL_NAME or not _named(argument, user):
        return line
    return Command(word.lower(), argument, line.match, line.runs_on)


def _enter(request: CommandRequest) -> Message:
    return _enter_event(_find(request.argument, request.user, "enter"), request)


def _enter_event(event: Event, request: CommandRequest) -> Message:
    entry = enter(event.pk, request.user, now=request.now)
    season = entry.season
    params: dict[str, Json] = {"number": season.number, "event": event.name, "slug": event.slug}
    if season.state == Season.State.RUNNING:
        return Message(
            "You play in season {number} of {event}. For its table write: standings {slug}", params
        )
    first_day = season.starts_at.astimezone(request.user.zone).date().isoformat()
    return Message(
        "You have entered season {number} of {event}; it begins on {first_day}. "
        "To change your mind, write: withdraw {slug}",
        {**params, "first_day": first_day},
    )


def _withdraw(request: CommandRequest) -> Message:
    return _withdraw_from(_find(request.argument, request.user, "withdraw"), request)


def _withdraw_from(event: Event, request: CommandRequest) -> Message:
    left = withdraw(event.pk, request.user, now=request.now)
    season = left.season
    params: dict[str, Json] = {"number": season.number, "event": event.name, "slug": event.slug}
    if isinstance(left, Replacement):
        return Message("You do not take over from {name} in {event}.", {**params, "name": left.former_name})
    if season.state == Season.State.RUNNING:
        return Message("You have left season {number} of {event}; bots play on for you.", params)
    return Message(
        "You do not play in season {number} of {event}. To come back before it begins, write: enter {slug}",
        params,
    )


def _standings(request: CommandRequest) -> Message:
    event = _find(request.argument, request.user, "standings")
    if season_with_table(event) is None:
        raise Refused(
            "no-table-yet", "No season of {event} has begun, so there is no table yet.", event=event.name
        )
    return Message("The tables of {event} are below.", {"event": event.name, "slug": event.slug})


def _report(request: CommandRequest) -> Message:
    """Carry out `event NAME report WORDS`."""
    slug, _, rest = request.argument.partition(" ")
    words = rest.partition(" ")[2]
    event = _find(slug, request.user, "event", f" {rest}")
    report_event(event.pk, request.user, words, now=request.now)
    return Message(
        "Your report about {name} is with the moderators; you get a mail with their answer.",
        {"name": event.name, "slug": event.slug},
    )


def _find(name: str, user: User, word: str, behind: str = "") -> Event:
    """The event of this name, for a line of the word, the name and what stands behind it.

    Raises NotSure(which-event, no-such-event), Refused(no-such-event).
    """
    found = _named(name, user)
    if len(found) == 1:
        return found[0]
    if found:
        lines = [f"{word} {event.slug}{behind}" for event in found[:MOST_MEANT]]
        raise NotSure(
            "which-event",
            "Several events are called {name}. Write one of these: {lines}",
            lines,
            name=name,
            lines=" · ".join(lines),
        )
    if alike := _spelt_alike(name, user):
        lines = [f"{word} {event.slug}{behind}" for event in alike]
        raise NotSure(
            "no-such-event",
            "There is no event “{name}”. If you meant it, write: {lines}",
            lines,
            name=name,
            lines=" · ".join(lines),
        )
    raise Refused(
        "no-such-event",
        "There is no event “{name}”. To see what there is, write: events",
        name=name,
    )


def _named(argument: str, user: User) -> Sequence[Event]:
    """The event of this short name, else those of this full name; of those that the player may see."""
    name = _fold(argument)
    events = list(events_seen_by(user).order_by("slug")) if name else []
    by_slug = [event for event in events if event.slug == name]
    return by_slug or [event for event in events if _fold(event.name) == name]


def _spelt_alike(argument: str, user: User) -> Sequence[Event]:
    """The events whose names are most like this one, or begin with it; none if all are too far from it."""
    name = _fold(argument)
    scored = [
        (max(_likeness(name, event.slug), _likeness(name, _fold(event.name))), event)
        for event in events_seen_by(user).order_by("slug")
    ]
    close = [(score, event) for score, event in scored if score >= ALIKE]
    return [event for _, event in sorted(close, key=lambda pair: -pair[0])[:MOST_MEANT]]


def _likeness(name: str, known: str) -> float:
    if len(name) >= 3 and known.startswith(name):
        return 1.0
    return SequenceMatcher(None, name, known).ratio()


def _fold(text: str) -> str:
    return " ".join(text.casefold().removesuffix(".").strip("“”\"' ").split())


SHOWN_WITH_NAME = frozenset({"standings"})
"""Commands that change nothing; the receipt shows what they name."""


def _agree(request: CommandRequest) -> Message:
    return _enter_event(_asked(request).season.event, request)


def _refuse(request: CommandRequest) -> Message:
    return _withdraw_from(_asked(request).season.event, request)


def _asked(request: CommandRequest) -> Replacement:
    """The question that the mail replies to. Raises Refused(nothing-asked)."""
    assert isinstance(request.proposal, Replacement)
    found = open_questions(request.now).filter(pk=request.proposal.pk).first()
    if found is None:
        raise Refused(
            "nothing-asked", "That is settled or too long ago; there is nothing to answer any more."
        )
    return found


REPLACEMENT_COMMANDS: Mapping[str, Handler] = MappingProxyType({"agree": _agree, "refuse": _refuse})
"""The answers to the question if its reader goes on for a player; without the mail they are `enter` and `withdraw`."""

_BY_FULL_NAME: Mapping[str, Handler] = {"enter": _enter, "withdraw": _withdraw, "standings": _standings}
"""Those behind which nothing stands but the name."""
EVENT_COMMANDS: Mapping[str, Handler] = MappingProxyType({**_BY_FULL_NAME, "event": _report})
