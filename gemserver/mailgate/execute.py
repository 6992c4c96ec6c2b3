"""Carries out the lines of a reply, one after the other, each through the action that owns it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from games.contract import GameError, Message
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.commands import Command, Line, MoveLine, Unread
from gemserver.mailgate.results import LineResult
from gemserver.mailgate.time_commands import TIME_COMMANDS
from gemserver.matches import replay
from gemserver.matches.actions.submit import Actor, Request, preview, submit
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused

SHOWN_BY_RECEIPT = frozenset({"status", "board", "help"})
"""Commands whose answer every receipt contains."""


@dataclass
class Execution:
    """One mail's lines for one player.

    `turn`: the prompt that the mail answers, None when unknown. A refused move stops the later ones; earlier ones
    stand, and everything that is no move still runs (notation, *Reading a line*).
    """

    user: User
    seat: Seat | None
    turn: int | None
    received_at: datetime
    request_prefix: str
    results: list[LineResult] = field(default_factory=list)
    previewed: str | None = None
    """The move whose effect the receipt shows, if one was asked for."""
    _stopped: bool = False

    def run(self, lines: Sequence[Line]) -> list[LineResult]:
        """Carry out the lines; safe to run again after a crash (`request_prefix` names the mail for good)."""
        first = len(self.results)
        for number, line in enumerate(lines, start=first):
            self.results.append(self._run_line(number, line))
        return self.results

    @property
    def has_effect(self) -> bool:
        """Whether anything was carried out or asked for that could be understood."""
        return any(result.outcome in {"done", "shown"} for result in self.results)

    @property
    def has_command(self) -> bool:
        """Whether any line was understood, carried out or not."""
        return any(result.outcome != "unread" for result in self.results)

    def _run_line(self, number: int, line: Line) -> LineResult:
        match line:
            case Unread(text, code, why):
                return LineResult(text, "unread", code, why)
            case Command():
                return self._run_command(line)
            case MoveLine():
                return self._run_move(number, line)

    def _run_command(self, command: Command) -> LineResult:
        text = f"{command.name} {command.argument}".strip()
        if command.name == "unsubscribe" or (command.name == "mail" and command.argument in {"off", "turns"}):
            mode = User.MailMode.TURNS if command.argument == "turns" else User.MailMode.OFF
            User.objects.filter(pk=self.user.pk).update(mail_mode=mode)
            return LineResult(text, "done", "mail-" + mode, _MAIL_MODES[mode])
        if carry := TIME_COMMANDS.get(command.name):
            try:
                said = carry(self.user, self.seat, command.argument, self.received_at)
            except Refused as refusal:
                return LineResult(text, "refused", refusal.code, refusal.message)
            return LineResult(text, "done", command.name, said)
        if command.name in SHOWN_BY_RECEIPT:
            return LineResult(text, "shown")
        return LineResult(
            text,
            "unread",
            "not-by-mail",
            Message(
                "“{word}” cannot be done by mail here; look for it on the page of the match.",
                {"word": command.name},
            ),
        )

    def _run_move(self, number: int, line: MoveLine) -> LineResult:
        shown = f"preview {line.text}" if line.preview else line.text
        if self.seat is None:
            return LineResult(shown, "refused", "no-match", _NO_MATCH)
        if unread := self._unreadable(self.seat, line, shown):
            return unread
        if self._stopped and not line.preview:
            return LineResult(shown, "refused", "not-reached", _NOT_REACHED)
        prompt_ply = line.prompt_ply if line.prompt_ply is not None else self.turn
        try:
            if line.preview:
                preview(self.seat.match, Actor.player(self.user), line.text, prompt_ply)
                self.previewed = line.text
                return LineResult(shown, "shown", "preview")
            accepted = submit(
                Request(
                    match_id=self.seat.match_id,
                    actor=Actor.player(self.user),
                    text=line.text,
                    source=Move.Source.MAIL,
                    request_id=f"{self.request_prefix}:{number}",
                    prompt_ply=prompt_ply,
                ),
                now=self.received_at,
                asked_at=clock.now(),
            )
        except Refused as refusal:
            self._stopped = self._stopped or not line.preview
            return LineResult(shown, "refused", refusal.code, refusal.message)
        # A further move of this mail answers whatever its player is asked next.
        self.turn = None
        return LineResult(accepted.moves[0].text, "done", ply=accepted.moves[0].ply)

    def _unreadable(self, seat: Seat, line: MoveLine, shown: str) -> LineResult | None:
        """The result of a line that is no move of this game at all, such as a greeting: reported, and stops nothing."""
        match = Match.objects.get(pk=seat.match_id)
        if not match.is_running:
            return None
        try:
            match.rules.parse(replay.position(match), seat.index, line.text)
        except GameError as error:
            if error.kind == "invalid":
                return LineResult(shown, "unread", error.code, error.message)
        return None


_MAIL_MODES = {
    User.MailMode.OFF: Message("You get no more mail about your turns. To get it again, write: mail turns"),
    User.MailMode.TURNS: Message("You get a mail whenever it is your turn."),
}
_NO_MATCH = Message(
    "This address belongs to your account, not to a match. Answer a mail of the match you mean."
)
_NOT_REACHED = Message(
    "A move before this one was refused, so this one was not tried. Send it again when it fits."
)
