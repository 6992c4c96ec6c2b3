"""The commands about people: say, note, report, block."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.talk.report_abuse import report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.talk.write_note import append_to_note
from gemserver.matches.models import Move, Seat


def _say(request: CommandRequest) -> Message:
    return Message("Said to the table of {code}.", {"code": _post(request).match.code})


def _talk(request: CommandRequest) -> Message:
    """Say what stands in a reply to table talk, without the word for it."""
    return Message(
        "Said to the table of {code}, because your mail answers table talk. Only the moderators can take it back; to "
        "ask them, write: report",
        {"code": _post(request).match.code},
    )


def _post(request: CommandRequest) -> Seat:
    seat = request.require_seat()
    say(
        seat.match_id,
        request.user,
        request.argument,
        request.request_id,
        source=Move.Source.MAIL,
        now=request.now,
    )
    return seat


def _note(request: CommandRequest) -> Message:
    seat = request.require_seat()
    append_to_note(seat.match_id, request.user, request.argument, now=request.now)
    return Message("Written to your notes on {code}; nobody else can read them.", {"code": seat.match.code})


def _report(request: CommandRequest) -> Message:
    seat = request.require_seat()
    report_abuse(seat.match_id, request.user, request.argument, now=request.now)
    return Message("The moderators are told; they will look at {code}.", {"code": seat.match.code})


def _block(request: CommandRequest) -> Message:
    block = block_player(request.user, request.argument, now=request.now)
    return Message(
        "You and {name} do not see each other's messages any more, and cannot invite each other. {name} is "
        "not told.",
        {"name": block.blocked.shown_name},
    )


TALK_COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {"say": _say, "talk": _talk, "note": _note, "report": _report, "block": _block}
)
