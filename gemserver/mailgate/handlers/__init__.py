"""Handlers of the commands in mails, by topic: one registry in each module, and all of them here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gemserver.events.models import Replacement
from gemserver.mailgate.handlers.account_commands import ACCOUNT_COMMANDS
from gemserver.mailgate.handlers.club_commands import CLUB_COMMANDS
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.mailgate.handlers.erase_command import ERASE_COMMANDS
from gemserver.mailgate.handlers.event_commands import EVENT_COMMANDS, REPLACEMENT_COMMANDS
from gemserver.mailgate.handlers.people_commands import FOLLOW_COMMANDS, PEOPLE_COMMANDS
from gemserver.mailgate.handlers.plan_commands import ORDER_COMMANDS
from gemserver.mailgate.handlers.puzzle_command import PUZZLE_COMMANDS
from gemserver.mailgate.handlers.rating_commands import RATING_COMMANDS
from gemserver.mailgate.handlers.resign_command import RESIGN_COMMANDS
from gemserver.mailgate.handlers.sitter_commands import HOLDER_COMMANDS, OWN_SETTINGS, SITTER_COMMANDS
from gemserver.mailgate.handlers.study_commands import STUDY_COMMANDS
from gemserver.mailgate.handlers.table_commands import INVITATION_COMMANDS, TABLE_COMMANDS
from gemserver.mailgate.handlers.talk_commands import TALK_COMMANDS
from gemserver.mailgate.handlers.time_commands import TIME_COMMANDS
from gemserver.mailgate.handlers.tutorial_command import TUTORIAL_COMMANDS
from gemserver.matches.refusal import Refused

COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {
        **TIME_COMMANDS,
        **ORDER_COMMANDS,
        **ACCOUNT_COMMANDS,
        **TABLE_COMMANDS,
        **CLUB_COMMANDS,
        **INVITATION_COMMANDS,
        **EVENT_COMMANDS,
        **TALK_COMMANDS,
        **PEOPLE_COMMANDS,
        **FOLLOW_COMMANDS,
        **RATING_COMMANDS,
        **RESIGN_COMMANDS,
        **ERASE_COMMANDS,
        **HOLDER_COMMANDS,
        **TUTORIAL_COMMANDS,
        **PUZZLE_COMMANDS,
        **STUDY_COMMANDS,
    }
)
"""Every command that does something, except moves."""


def find_handler(name: str, request: CommandRequest) -> Handler:
    """Return the handler of one of `COMMANDS`. Raises Refused(not-for-sitters)."""
    if isinstance(request.proposal, Replacement):
        return REPLACEMENT_COMMANDS[name]
    if request.is_sitters and name not in OWN_SETTINGS:
        if name not in SITTER_COMMANDS:
            raise Refused(
                "not-for-sitters",
                "You play this seat for somebody else: you can move there, but “{word}” is for its player.",
                word=name,
            )
        return SITTER_COMMANDS[name]
    return COMMANDS[name]
