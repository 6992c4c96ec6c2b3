"""Carries out the lines of a reply, one after the other, each through its action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from types import MappingProxyType

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.inbox.results import LineResult
from gemserver.lib import clock
from gemserver.mailgate.commands import CUT_OFF, Command, Line, MoveLine, Unread
from gemserver.mailgate.handlers.account_commands import ACCOUNT_COMMANDS
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.mailgate.handlers.plan_commands import ORDER_COMMANDS, reading_error, say_accepted, seen_ply
from gemserver.mailgate.handlers.resign_command import RESIGN_COMMANDS
from gemserver.mailgate.handlers.sitter_commands import find_work
from gemserver.mailgate.handlers.table_commands import TABLE_COMMANDS
from gemserver.mailgate.handlers.talk_commands import TALK_COMMANDS
from gemserver.mailgate.handlers.time_commands import TIME_COMMANDS
from gemserver.matches import sitters
from gemserver.matches.actions.play.preview import preview
from gemserver.matches.actions.play.submit import Actor, Request, is_known, submit
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused

COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {
        **TIME_COMMANDS,
        **ORDER_COMMANDS,
        **ACCOUNT_COMMANDS,
        **TABLE_COMMANDS,
        **TALK_COMMANDS,
        **RESIGN_COMMANDS,
    }
)
"""Every command that does something, except moves."""

SHOWN_BY_RECEIPT = frozenset({"status", "board", "log", "rules", "games", "help"})
"""Commands that do nothing but have the receipt show something."""
ABOUT_A_MATCH = frozenset({"board", "log", "rules"})
"""Those of them that need a match."""
STOP_AFTER = 5
"""Successive meaningless lines below a command, after which reading stops (mail-requirements.md T5)."""


def _keep_nothing(results: Sequence[LineResult]) -> None:
    """For mails that are read only once."""


@dataclass
class Execution:
    """The lines of one mail, for one player.

    `turn`: the prompt that the mail answers, None if unknown; `prompts`: by match, those that a digest showed. A
    refused move stops the later ones of its match; earlier ones stand, and all other lines still run (notation,
    *Reading a line*).
    """

    user: User
    seat: Seat | None
    turn: int | None
    received_at: datetime
    request_prefix: str
    prompts: Mapping[int, int] = field(default_factory=dict)
    shown_at: datetime | None = None
    """Instant at which the mail of ours that this one answers was sent."""
    is_binding: bool = False
    """True if the mail may do irreversible things (`CommandRequest`)."""
    earlier: Sequence[LineResult] = ()
    """Results kept when this mail was carried out before and the process died: none of them is done twice."""
    keep: Callable[[Sequence[LineResult]], None] = _keep_nothing
    """Stores the results so far, in the transaction of the action (mail-requirements.md I3)."""
    keep_claim: Callable[[], None] = lambda: None
    """Called before each line; raises if another worker has the mail."""
    results: list[LineResult] = field(default_factory=list)
    previewed: str | None = None
    """The move whose effect the receipt shows, if one was asked for."""
    secrets: dict[str, str] = field(default_factory=dict)
    """Secrets for the receipt alone, such as the code of `resign`."""
    _stopped: set[int] = field(default_factory=set)
    _answered: set[int] = field(default_factory=set)
    """Matches in which a move of this mail was refused, or played."""

    def run(self, lines: Sequence[Line]) -> list[LineResult]:
        """Carry out the lines; safe to run again after a crash (`request_prefix` names the mail for good)."""
        first = len(self.results)
        for number, line in enumerate(lines, start=first):
            self.keep_claim()
            if self._has_gone_on_to_other_things():
                self.results.append(LineResult("", "unread", "stopped", _STOPPED))
                break
            self.results.append(self._run_line(number, line))
        return self.results

    @property
    def has_effect(self) -> bool:
        """True if anything was carried out, or shown on request."""
        return any(result.outcome in {"done", "shown"} for result in self.results)

    @property
    def has_command(self) -> bool:
        """True if any line was understood, carried out or not."""
        return any(result.outcome != "unread" for result in self.results)

    def _has_gone_on_to_other_things(self) -> bool:
        """True if the lines after the last command are a closing or a disclaimer, not meant as commands.

        See mail-requirements.md T5.
        """
        last = [result.outcome for result in self.results[-STOP_AFTER:]]
        return self.has_command and last == ["unread"] * STOP_AFTER

    def can_read(self, text: str) -> bool:
        """True if the text is a move in the match that the mail is about, or in one of the player's matches."""
        seats = [self.seat] if self.seat else self._seats
        return any(not self._unreadable(seat, MoveLine(text), "") for seat in seats)

    def _run_line(self, number: int, line: Line) -> LineResult:
        if not isinstance(line, Unread) and self._goes_on_with_a_sentence(line):
            return LineResult(shown_line(line), "unread", "cut-off", CUT_OFF)
        match line:
            case Unread(text, code, why):
                return LineResult(text, "unread", code, why)
            case Command():
                return self._run_command(number, line)
            case MoveLine():
                return self._run_move(number, line)

    def _goes_on_with_a_sentence(self, line: MoveLine | Command) -> bool:
        """True if the line is the end of a sentence that began in the line above, which was no command."""
        if not line.runs_on or not self.results:
            return False
        is_harmless = isinstance(line, Command) and line.name in SHOWN_BY_RECEIPT
        return self.results[-1].outcome == "unread" and not is_harmless

    def _run_command(self, number: int, command: Command) -> LineResult:
        text = show_command(command)
        if command.name == "unsubscribe" and not command.argument:
            command = Command("mail", "off")
        if command.name in SHOWN_BY_RECEIPT:
            return self._look_up(command, text)
        if command.name not in COMMANDS:
            return LineResult(text, "unread", "not-by-mail", Message(_NOT_BY_MAIL, {"word": command.name}))
        return self._done_before(number, text) or self._carry_out(number, command, text)

    def _carry_out(self, number: int, command: Command, text: str) -> LineResult:
        try:
            with transaction.atomic():
                asked = self._request_of(number, command)
                work = find_work(command.name, COMMANDS) if asked.is_sitters else COMMANDS[command.name]
                said = work(asked)
                if (
                    asked.secrets
                ):  # a second reading makes a new code: the answer with this one was never sent
                    self.secrets |= asked.secrets
                    return LineResult(text, "shown", command.name, said)
                result = LineResult(text, "done", command.name, said)
                self.keep([*self.results, result])
        except Refused as refusal:
            return LineResult(text, "refused", refusal.code, refusal.message)
        return result

    def _look_up(self, command: Command, text: str) -> LineResult:
        try:
            if command.match or command.name in ABOUT_A_MATCH:
                self._find_seat(command.match)
        except Refused as refusal:
            return LineResult(text, "refused", refusal.code, refusal.message)
        return LineResult(text, "shown", command.name)

    def _request_of(self, number: int, command: Command) -> CommandRequest:
        seat = self._find_seat(command.match) if command.match else self.seat
        return CommandRequest(
            user=self.user,
            seat=seat,
            argument=command.argument,
            now=self.received_at,
            request_id=self._request_id(number),
            is_binding=self.is_binding,
            seen_ply=seen_ply(seat, self.shown_at, self.turn) if seat else None,
        )

    def _done_before(self, number: int, text: str) -> LineResult | None:
        """The result of the line, if it was carried out at an earlier attempt."""
        kept = self.earlier[number] if number < len(self.earlier) else None
        return kept if kept and kept.outcome == "done" and kept.line == text else None

    def _run_move(self, number: int, line: MoveLine) -> LineResult:
        shown = _show(line)
        try:
            if self._is_of_no_match(line):
                return LineResult(shown, "unread", "no-command", _NO_COMMAND)
            if line.preview and self.seat is None:
                raise Refused("one-match", _PREVIEW_OF_ONE)
            seat = self._find_seat(line.match)
            if (unread := self._unreadable(seat, line, shown)) and not self._was_played(number, seat):
                return unread
            if seat.match_id in self._stopped and not line.preview:
                return LineResult(shown, "refused", "not-reached", _NOT_REACHED)
            if line.preview:
                actor, prompt = Actor.player(self.user), self._prompt_of(seat, line)
                preview(seat.match, actor, line.text, prompt, now=self.received_at)
                self.previewed = line.text
                return LineResult(shown, "shown", "preview")
        except Refused as refusal:
            return LineResult(shown, "refused", refusal.code, refusal.message)
        return self._submit(number, seat, line)

    def _submit(self, number: int, seat: Seat, line: MoveLine) -> LineResult:
        request = Request(
            match_code=seat.match.code,
            actor=Actor.player(self.user),
            text=line.text,
            source=Move.Source.MAIL,
            request_id=self._request_id(number),
            prompt_ply=self._prompt_of(seat, line),
            seen_ply=seen_ply(seat, self.shown_at, self._prompt_of(seat, line)),
        )
        try:
            accepted = submit(request, now=self.received_at, asked_at=clock.now())
        except Refused as refusal:
            self._stopped.add(seat.match_id)
            return LineResult(_show(line), "refused", refusal.code, refusal.message)
        self._answered.add(seat.match_id)
        text, said, ply = say_accepted(accepted)
        return LineResult(_in_match(line, text), "done", message=said, ply=ply)

    def _request_id(self, number: int) -> str:
        return f"{self.request_prefix}:{number}"

    def _was_played(self, number: int, seat: Seat) -> bool:
        """True if the line was played before a crash; read again it may have no meaning any more."""
        return is_known(seat, self.user, Move.Source.MAIL, self._request_id(number))

    def _find_seat(self, code: str | None) -> Seat:
        """The seat that a line is for; raises Refused(no-match, other-match, not-seated).

        The address of a seat is good for that match alone; that of the account for all the player's matches.
        """
        if self.seat is not None:
            if code and code != self.seat.match.code:
                raise Refused("other-match", _OTHER_MATCH, code=self.seat.match.code)
            return self.seat
        if code is None:
            raise Refused("no-match", _NO_MATCH)
        seats = Seat.objects.select_related("match", "user")
        if seat := seats.filter(match__code=code, user=self.user).first():
            return seat
        if sitting := sitters.sitting_of(self.user, code, self.received_at):
            return sitting.seat
        raise Refused("not-seated", "You do not sit at {code}; you can only watch.", code=code)

    def _prompt_of(self, seat: Seat, line: MoveLine) -> int | None:
        """The prompt the line answers; a further move of this mail answers whatever its player is asked next."""
        if line.prompt_ply is not None or seat.match_id in self._answered:
            return line.prompt_ply
        return self.turn if self.seat else self.prompts.get(seat.match_id)

    def _is_of_no_match(self, line: MoveLine) -> bool:
        """True if a line to the account's address or the lobby's names no match, and is a move in none."""
        if self.seat is not None or line.match is not None:
            return False
        return all(self._unreadable(seat, line, "") for seat in self._seats)

    @cached_property
    def _seats(self) -> list[Seat]:
        """The seats that the player may move for, in running matches."""
        sitting = sitters.acting(self.received_at).filter(sitter=self.user)
        seats = Seat.objects.select_related("match", "user").filter(match__status=Match.Status.RUNNING)
        return list(seats.filter(Q(user=self.user) | Q(pk__in=sitting.values("seat"))))

    def _unreadable(self, seat: Seat, line: MoveLine, shown: str) -> LineResult | None:
        """The result of a line that is no move of this game at all, such as a greeting: reported, and stops nothing."""
        match = seat.match
        if match.pk in self._answered:  # the match has changed since the seat was read
            match = Match.objects.get(pk=match.pk)
        if not match.is_running:
            return None
        error = reading_error(match, seat, line.text)
        if error is None or error.kind != "invalid":
            return None
        return LineResult(shown, "unread", error.code, error.message)


def show_command(command: Command) -> str:
    """A command as it is shown to its player."""
    # The lines of a plan must not stand alone on a line: quoted in an answer they would be moves.
    if command.name == "plan":
        return _in_match(command, f"plan {'; '.join(command.argument.splitlines())}".strip())
    argument = " ".join(command.argument.split())
    if command.name == "join" and argument[1:].isdecimal():
        argument = argument.upper()
    return _in_match(command, shorten(f"{command.name} {argument}".strip(), 100))


def shown_line(line: MoveLine | Command) -> str:
    """A line as it is shown to its player."""
    return show_command(line) if isinstance(line, Command) else _show(line)


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _show(line: MoveLine) -> str:
    return _in_match(line, f"preview {line.text}" if line.preview else line.text)


def _in_match(line: MoveLine | Command, text: str) -> str:
    return f"{line.match}: {text}" if line.match else text


_NOT_BY_MAIL = gettext_noop("“{word}” cannot be done by mail here; look for it on the page of the match.")


_NO_MATCH = gettext_noop(
    "This address belongs to your account. Answer a mail of the match you mean, or write the match before the move, "
    "like M17: bid 6"
)
_NO_COMMAND = Message("This is no command, and no move in a match of yours. To see what you can write: help")
_OTHER_MATCH = gettext_noop(
    "This address belongs to {code} alone; answer a mail of the other match, or your digest."
)
_PREVIEW_OF_ONE = gettext_noop(
    "A preview shows one match; ask for it in an answer to a mail of that match, or on its page."
)
_STOPPED = Message(
    "Five lines in a row were no commands, so nothing below them was read. Send what you meant in a mail of its own."
)
_NOT_REACHED = Message(
    "A move before this one was refused, so this one was not tried. Send it again when it fits."
)
