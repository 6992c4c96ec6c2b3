"""The commands about tables that wait for players, and free seats: join, new, bots, invite, leave, start, part …"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from django.db.models import F, QuerySet

from games import registry
from games.contract import GameMeta, Json, Message
from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS, USUAL_CLOCK
from gemserver.mailgate.handlers.club_commands import act_on_club
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler, NotSure
from gemserver.mailgate.lines.wishes import practice_lines
from gemserver.matches import tables
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.actions.tables.answer_invitation import decline_invitation
from gemserver.matches.actions.tables.give_part import give_part
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation_to
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.leave_table import leave_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms, find_meta, usual_seats
from gemserver.matches.clubs.clubs import find_club
from gemserver.matches.models import Match, Seat
from gemserver.matches.privacy import seen_by
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_free_seat


def _join(request: CommandRequest) -> Message:
    """Take a seat; if no table of the game waits for players, at a new one."""
    if slug := _named_club(request):
        return act_on_club(request, slug, "join")
    game = request.argument if request.argument in registry.GAMES else None
    found = _table_of_game(request) if game else _named_table(request)
    if found and found.is_running:
        return _take_over(request, found)
    if found is None:
        assert game is not None
        opened = _open(request, game, [])
        return Message(
            "No table of {title} was waiting, so you have opened {code}. To play against a bot meanwhile write: {line}",
            {**_names_of(opened), "line": practice_lines(game)[0]},
        )
    seat = join_table(found.pk, request.user, now=request.now)
    return Message(
        "You sit at {code}, a table of {title}, in seat {letter}.",
        {"code": found.code, "title": found.title, "letter": seat.letter},
    )


def _take_over(request: CommandRequest, match: Match) -> Message:
    """Take over a seat that a bot holds for an absent player; raises NotSure(which-seat) where several are free."""
    try:
        seat = require_free_seat(match, request.user, request.argument.partition(" ")[2])
    except Refused as refusal:
        if refusal.code != "which-seat":
            raise
        letters = str(refusal.message.params["letters"]).split(", ")
        lines = [f"join {match.code} {letter}" for letter in letters]
        raise NotSure(
            "which-seat",
            "Several seats of {code} are free. Write one of these: {lines}",
            lines,
            code=match.code,
            lines=" · ".join(lines),
        ) from None
    seat = take_seat(match.pk, seat.index, request.user, now=request.now)
    return Message(
        "You play seat {letter} of {code}, a match of {title}, from now on.",
        {**_names_of(match), "letter": seat.letter},
    )


def _named_club(request: CommandRequest) -> str:
    """The short name behind `join club` or `leave club`; empty if a table is meant."""
    word, _, slug = request.argument.partition(" ")
    return slug if word == "club" else ""


def _named_table(request: CommandRequest) -> Match:
    code = request.argument.partition(" ")[0].upper()
    match = Match.objects.filter(seen_by(request.user), code=code).first()
    if match is None:
        raise Refused(
            "no-such-table",
            "There is no table or game “{name}”. To see what there is, write: games",
            name=request.argument,
        )
    return match


def _table_of_game(request: CommandRequest) -> Match | None:
    """A table of the game where the player sits or is invited, else the one that lacks fewest players."""
    for seat in tables.waiting_tables(request.user):
        if seat.match.game == request.argument:
            return seat.match
    for invitation in tables.open_invitations(request.user):
        if invitation.match.game == request.argument:
            return invitation.match
    return open_tables(request.user).filter(game=request.argument).first()


def open_tables(user: User) -> QuerySet[Match]:
    """The tables where this player may take a seat, those that lack fewest players first; then the oldest."""
    others = tables.open_to_all(user).exclude(seats__user=user)
    return others.annotate(free=F("seat_count") - F("taken")).order_by("free", "created_at", "pk")


def _decline(request: CommandRequest) -> Message:
    """Decline the invitation to a table, with which a no has answered."""
    match = _named_table(request)
    invitation = tables.invitation_of(match, request.user)
    if invitation is None:
        raise Refused("no-invitation", "There is no invitation to {code} any more.", code=match.code)
    decline_invitation(invitation.pk, now=request.now)
    return Message("You have declined the invitation to {code}.", {"code": match.code})


def _new(request: CommandRequest) -> Message:
    game, *words = request.argument.split()
    opened = _open(request, game, words)
    return Message("You have opened {code}, a table of {title}.", _names_of(opened))


def _open(request: CommandRequest, game: str, words: list[str]) -> Match:
    return open_table(request.user, _read_terms(find_meta(game), words, request.user), now=request.now)


def _names_of(match: Match) -> dict[str, Json]:
    return {"code": match.code, "title": match.title}


def _read_terms(meta: GameMeta, words: Iterable[str], user: User) -> Terms:
    """Read `seats 3`, `clock 3d` and `name=value`; raises Refused(no-such-choice, no-such-club)."""
    chosen: dict[str, Any] = {"time_control": PRESETS[USUAL_CLOCK]}
    own = {option.name for option in meta.options}
    options = {}
    for name, value in _pairs(words):
        if name == "pace" and value in PRESETS:  # some game has an option of this name
            name = "clock"
        if name in _CHOICES:
            field, read = _CHOICES[name]
            chosen[field] = read(name, value)
        elif name in own:
            options[name] = value
        else:
            raise _no_such_choice(name, value, ["pace", *_CHOICES, *own])
    if slug := chosen.pop("club", ""):
        chosen["club"] = find_club(slug, user)
    bots = [chosen.pop("strength", Seat.Bot.EASY)] * chosen.pop("bots", 0)
    chosen.setdefault("seats", usual_seats(meta, len(bots)))
    return Terms(game=meta.slug, options=options, bots=bots, **chosen)


def _pairs(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    rest = iter(words)
    for word in rest:
        name, sign, value = word.partition("=")
        yield name, value if sign else next(rest, "")


def _number(name: str, value: str) -> int:
    if not value.isdecimal():
        raise _no_such_choice(name, value, ["2", "3"])
    return int(value)


def _one_of(values: Mapping[str, Any]) -> Callable[[str, str], Any]:
    """A reader of one of these words."""

    def read(name: str, value: str) -> Any:
        if value not in values:
            raise _no_such_choice(name, value, list(values))
        return values[value]

    return read


_YES_OR_NO = {"no": False, "yes": True}
_BOTS = (Seat.Bot.EASY, Seat.Bot.NORMAL, Seat.Bot.HARD, Seat.Bot.RANDOM)
_CHOICES: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "seats": ("seats", _number),
    "clock": ("time_control", _one_of(PRESETS)),
    "bots": ("bots", _number),
    "strength": ("strength", _one_of({str(bot): bot for bot in _BOTS})),
    "absence": ("absence", _one_of({str(way): way for way in Match.Absence})),
    "access": ("access", _one_of({str(way): way for way in Match.Access})),
    "weekends": ("free_weekends", _one_of({"count": False, "free": True})),
    "vacation": ("vacation_days", _number),
    "start": ("starts_when_full", _one_of({"full": True, "hand": False})),
    "programs": ("allows_bots", _one_of(_YES_OR_NO)),
    "rated": ("is_rated", _one_of(_YES_OR_NO)),
    "club": ("club", lambda name, value: value),
}
"""By the word of a choice, what it is for `Terms`, and its reader."""


def _no_such_choice(name: str, value: str, allowed: list[str]) -> Refused:
    return Refused(
        "no-such-choice",
        "“{name} {value}” cannot be chosen here; it can be: {allowed}.",
        name=name,
        value=value,
        allowed=", ".join(allowed),
    )


def _invite(request: CommandRequest) -> Message:
    match = _own_table(request, "invite")
    invited = invite(match.pk, request.user, request.argument, now=request.now)
    if invited.is_repeat:
        return Message("Invited to {code} already: {already}", {"code": match.code, "already": invited.whom})
    return Message("Invited to {code}: {whom}", {"code": match.code, "whom": invited.whom})


def _uninvite(request: CommandRequest) -> Message:
    match = _own_table(request, "uninvite")
    taken_back = withdraw_invitation_to(match.pk, request.user, request.argument, now=request.now)
    return Message("No longer invited to {code}: {whom}", {"code": match.code, "whom": taken_back.whom})


def _bots(request: CommandRequest) -> Message:
    """Give free seats of one's own table to bots."""
    match = _own_table(request, "bots")
    number, _, strength = request.argument.partition(" ")
    bot = Seat.Bot(strength) if strength else Seat.Bot.EASY
    filled = fill_with_bots(match.pk, bot, number=int(number), by=request.user, now=request.now)
    if filled.is_running:
        return Message("{code} begins.", {"code": match.code})
    return Message(
        "Bots that have sat down at {code}: {number}.", {"code": match.code, "number": int(number)}
    )


def _rematch(request: CommandRequest) -> Message:
    """Open the rematch of a match that is over, or sit down at the table of the one that is open already."""
    match = open_rematch(request.require_seat().match_id, request.user, now=request.now)
    if match.is_open:
        join_table(match.pk, request.user, now=request.now)
    return Message("The rematch is {code}, with the same people on the same terms.", {"code": match.code})


def _leave(request: CommandRequest) -> Message:
    if slug := _named_club(request):
        return act_on_club(request, slug, "leave")
    match = _own_table(request, "leave")
    if match.is_running:
        raise Refused(
            "running", "{code} has begun. To give your seat up for good, write: resign", code=match.code
        )
    leave_table(match.pk, request.user, now=request.now)
    return Message("You have given up your seat at {code}.", {"code": match.code})


def _start(request: CommandRequest) -> Message:
    match = _own_table(request, "start")
    start_match(match.pk, by=request.user, now=request.now)
    return Message("{code} begins.", {"code": match.code})


def _part(request: CommandRequest) -> Message:
    match = _own_table(request, "part")
    give_part(match.pk, request.user, request.argument, now=request.now)
    return Message(
        "Your words go into the deal of {code}; their fingerprint is below. Keep them to check it afterwards.",
        {"code": match.code},
    )


def _own_table(request: CommandRequest, word: str) -> Match:
    """The table that is meant: the one named or written to, else the only one where the player waits."""
    if request.seat is not None:
        return request.seat.match
    waiting = [seat.match for seat in tables.waiting_tables(request.user)]
    if not waiting:
        raise Refused(
            "no-table", "You sit at no table that waits for players. To see what there is, write: games"
        )
    if len(waiting) > 1:
        raise Refused(
            "which-table",
            "You wait at {codes}. Write the one you mean before the word, like {code}: {word}",
            codes=", ".join(match.code for match in waiting),
            code=waiting[0].code,
            word=word,
        )
    return waiting[0]


TABLE_COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {
        "join": _join,
        "new": _new,
        "rematch": _rematch,
        "invite": _invite,
        "uninvite": _uninvite,
        "bots": _bots,
        "leave": _leave,
        "start": _start,
        "part": _part,
    }
)
"""Every answer has the table's `code` among its parameters, or the short name of a `club`."""

INVITATION_COMMANDS: Mapping[str, Handler] = MappingProxyType({"decline": _decline})
"""Commands that stand for a no to an invitation; nobody has to know their word."""
