"""Carries out the lines of a reply, one after the other, each through its action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property, partial

from django.db import transaction
from django.db.models import Q

from games.contract import GameError
from gemserver.accounts.models import User
from gemserver.inbox.results import LineResult
from gemserver.lib import clock
from gemserver.mailgate import line_refusals
from gemserver.mailgate.handlers import COMMANDS, find_handler
from gemserver.mailgate.handlers.command_request import CommandRequest
from gemserver.mailgate.handlers.event_commands import SHOWN_WITH_NAME, read_event_name
from gemserver.mailgate.handlers.plan_commands import lies_face_down, say_orders
from gemserver.mailgate.handlers.puzzle_command import PUZZLE_COMMANDS
from gemserver.mailgate.handlers.tutorial_command import TUTORIAL_COMMANDS
from gemserver.mailgate.line_results import ask_back, in_match, refuse, show_line
from gemserver.mailgate.lines.commands import CUT_OFF, Command, Line, MoveLine, Unread
from gemserver.mailgate.lines.meaning import (
    any_is_move,
    candidates,
    in_notation,
    is_in_doubt,
    is_taken_back,
    longer_moves,
    moves_in_parts,
    reading_error,
    says_nothing,
)
from gemserver.mailgate.lines.order_lines import join_orders
from gemserver.mailgate.lines.short_words import read_command
from gemserver.mailgate.lines.wishes import WISH, find_nearest, find_offer
from gemserver.mailgate.replies.consent import WORDS, Question
from gemserver.matches import selectors, sitters
from gemserver.matches.actions.play.preview import preview
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, find_known, submit
from gemserver.matches.broken_games import refuse_unplayable
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.offered.game_guard import UNPLAYABLE
from gemserver.matches.refusal import Refused

SHOWN_BY_RECEIPT = frozenset({"status", "board", "log", "rules", "games", "clubs", "events", "mails", "help"})
"""Commands that do nothing but have the receipt show something."""
ABOUT_A_MATCH = frozenset({"board", "log", "rules"})
"""Those of them that need a match."""
_HARMLESS = SHOWN_BY_RECEIPT | {"ratings"}
"""Commands that may be said in plain words beside anything else."""
_BEFORE_MOVES = frozenset({"undo", "agree", "return"})
"""Commands that change what a move below them answers: where one is refused, that is not the position it is for."""
_NEARLY_COMMANDS = frozenset({"usage", "sentence", "not-alone"})
"""Codes of lines that begin with the word of a command and are none."""
STOP_AFTER = 5
"""Successive meaningless lines below a command, after which reading stops (mail-requirements.md T5)."""
_MOST_LOOKED_AT = 10
"""Lines of a mail in which parts of moves are looked for, if nothing in it was understood."""


@dataclass
class Execution:
    """The lines of one mail, for one player.

    `turn`: the prompt that the mail answers, None if unknown; `prompts`: by match, those that a digest showed. A
    refused move stops the later ones of its match, and so does a refused command of `_BEFORE_MOVES`; earlier ones
    stand, and all other lines still run (notation, *Reading a line*).
    """

    user: User
    seat: Seat | None
    turn: int | None
    received_at: datetime
    request_prefix: str
    prompts: Mapping[int, int] = field(default_factory=dict)
    shown_at: datetime | None = None
    """Instant at which the mail of ours that this one answers was sent."""
    answers_other: bool = False
    """True if the mail answers one of ours about another match than that of `seat`: it does not say which is meant."""
    is_binding: bool = False
    """True if the mail may do irreversible things (`CommandRequest`)."""
    is_proved: Callable[[], bool] = lambda: False
    """True if it comes from the player's registered address and its sender is proved."""
    question: Question | None = None
    """The question for consent that the mail replies to."""
    find_lists: Callable[[Seat], Sequence[Sequence[str]]] = lambda seat: ()
    """Returns the lists of moves that the answered mail shows for a seat."""
    earlier: Sequence[LineResult] = ()
    """Results kept when this mail was carried out before and the process died: none of them is done twice."""
    keep: Callable[[Sequence[LineResult]], None] = lambda results: None
    """Stores the results so far, in the transaction of the action (mail-requirements.md I3)."""
    keep_claim: Callable[[], None] = lambda: None
    """Called before each line; raises if another worker has the mail."""
    lines: Sequence[Line] = ()
    """All lines, of which each is read in the light of the others."""
    results: list[LineResult] = field(default_factory=list)
    previewed: str | None = None
    """The move whose effect the receipt about the seat shows, if one was asked for."""
    secrets: dict[str, str] = field(default_factory=dict)
    """Secrets for the receipt alone, such as the code of `resign`."""
    _stopped: set[int] = field(default_factory=set)
    _known_names: dict[int, Sequence[str]] = field(default_factory=dict)
    _known_lists: dict[int, Sequence[Sequence[str]]] = field(default_factory=dict)
    _answered: set[int] = field(default_factory=set)
    """Matches in which a move of this mail was refused, or played."""
    _sealed: set[int] = field(default_factory=set)
    """Matches in which an answer of this mail lies face down."""

    def run(self, lines: Sequence[Line], below: Sequence[Line] = ()) -> list[LineResult]:
        """Carry out the lines; safe to run again after a crash (`request_prefix` names the mail for good).

        `below`: lines that stand below them, and are not carried out.
        """
        lines = join_orders(lines, self._find_seat, partial(self._count_laid, len(self.results)))
        self.lines = [*lines, *below]
        for number, line in enumerate(lines, start=len(self.results)):
            self.keep_claim()
            if self._has_gone_on_to_other_things():
                self.results.append(LineResult("", "unread", "stopped", line_refusals.STOPPED))
                break
            try:
                result = self._run_line(number, line)
            except Refused as refusal:
                if isinstance(line, Command) and line.name in _BEFORE_MOVES:
                    self._stop_moves(line)
                is_wish = refusal.code == "no-such-game"  # `new address`
                wished = self._offer_command(_as_text(line), ()) if is_wish else None
                result = wished or refuse(line, refusal)
            except UNPLAYABLE as error:
                named = None if isinstance(line, Unread) else line.match
                code = named or (self.seat.match.code if self.seat else None)
                if code is None:
                    raise
                result = refuse(line, refuse_unplayable(error, code))
            self.results.append(result)
        if self.seat and not self._has_answer:
            self._offer_moves(self.seat)
        if not self._has_answer:
            self._offer_nearest()
        return self.results

    def _stop_moves(self, command: Command) -> None:
        """Let no move of the match that a refused command is about be tried below it."""
        with suppress(Refused):
            self._stopped.add(self._find_seat(command.match).match_id)

    @property
    def _has_answer(self) -> bool:
        """True if any line was understood, or an answer names what may have been meant."""
        return self.has_command or any(each.candidates or each.code == WISH for each in self.results)

    def _offer_nearest(self) -> None:
        """Where nothing in the mail was understood, name the commands that its first such line is nearest to.

        They are no ready replies: chat may be near to some too.
        """
        for place, (line, result) in enumerate(zip(self.lines[:_MOST_LOOKED_AT], self.results, strict=False)):
            if isinstance(line, MoveLine) and not line.misused and result.line:
                offer = find_nearest(line.text, self._today, self._game)
                if offer:
                    self.results[place] = LineResult(result.line, "unread", WISH, offer.message)
                    return

    @property
    def _today(self) -> date:
        return self.received_at.astimezone(self.user.zone).date()

    @property
    def _game(self) -> str:
        return self.seat.match.game if self.seat else ""

    def _offer_moves(self, seat: Seat) -> None:
        """Where nothing in the mail was understood, offer the moves that parts of its first such line may mean."""
        match = self._fresh(seat)
        for place, (line, result) in enumerate(zip(self.lines[:_MOST_LOOKED_AT], self.results, strict=False)):
            if match.is_running and isinstance(line, MoveLine) and result.line:
                moves = moves_in_parts(match, seat, line, self._names(match))
                if moves:
                    self.results[place] = ask_back(result.line, moves)
                    return

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

    def _run_line(self, number: int, line: Line) -> LineResult:
        """Carry out one line. Raises Refused."""
        if isinstance(line, MoveLine) and line.misused:
            line = read_event_name(line, self.user)
        shown = show_line(line)
        if isinstance(line, Unread):
            if line.code in _NEARLY_COMMANDS and " " in line.text:  # `Help me!`, `stop sending me mails`
                if command := self._read_said(line, ()):
                    return self._run_command(number, command, show_line(command))
                if offered := self._offer_command(line, ()):
                    return offered
            return LineResult(shown, "unread", line.code, line.why)
        is_harmless = isinstance(line, Command) and line.name in SHOWN_BY_RECEIPT
        if line.runs_on and self.results and self.results[-1].outcome == "unread" and not is_harmless:
            # The end of a sentence that began in the line above, which was no command.
            return LineResult(shown, "unread", "cut-off", CUT_OFF)
        if isinstance(line, Command):
            return self._run_command(number, line, shown)
        return self._run_move(number, line, shown)

    def _run_move(self, number: int, line: MoveLine, shown: str) -> LineResult:
        """Submit or preview a move, or do what the line says otherwise. Raises Refused."""
        is_loose = self.seat is None and line.match is None
        if line.misused and (is_loose or not self._find_seat(line.match).match.is_running):
            return LineResult(shown, "unread", line.misused.code, line.misused.why)
        if is_loose and not self.can_read(line.text):
            if command := self._read_said(line, ()):
                return self._run_command(number, command, show_line(command))
            return self._offer_command(line, ()) or LineResult(
                shown, "unread", "no-command", line_refusals.NO_COMMAND
            )
        seat = self._find_seat(line.match)
        match = self._fresh(seat)
        typed = line.text
        was_taken_back = is_taken_back(line, self.lines)
        was_in_doubt = not line.preview and is_in_doubt(line, self.lines)
        if match.is_running:
            line = in_notation(
                match, seat, line, self.lines, partial(self._names, match), partial(self._lists, seat)
            )
        error = self._find_error(seat, line.text)
        # Read again after a crash, a line that was played then may have no meaning any more.
        if (error or was_taken_back or was_in_doubt) and not self._was_submitted(number, seat):
            if error:
                return self._answer_no_move(number, line, seat, error, shown)
            if was_taken_back:
                raise line_refusals.taken_back()
            return ask_back(shown, [line.text])
        if line.preview:
            return self._show_preview(seat, line, shown)
        return self._submit(number, seat, line, typed)

    def _answer_no_move(
        self, number: int, line: MoveLine, seat: Seat, error: GameError, shown: str
    ) -> LineResult:
        """Run the command that a line says which is no move, or say which moves it is near to, or what is wrong."""
        match = self._fresh(seat)
        names = self._names(match)
        command = self._read_said(line, names)
        is_harmless = command is not None and command.name in _HARMLESS
        lists = partial(self._lists, seat)
        moves = () if is_harmless else candidates(match, seat, line, names, lists)
        if moves:
            return ask_back(shown, moves)
        if command:
            return self._run_command(number, command, show_line(command))
        if offered := self._offer_command(line, names):
            return offered
        if line.misused:
            return LineResult(shown, "unread", line.misused.code, line.misused.why)
        return LineResult(
            shown, "unread", error.code, line_refusals.about_sentence(line.text, error) or error.message
        )

    def _show_preview(self, seat: Seat, line: MoveLine, shown: str) -> LineResult:
        """Try the move, for the receipt to show. Raises Refused."""
        prompt_ply = self._prompt_of(seat, line)
        preview(seat.match, Actor.player(self.user), line.text, prompt_ply, now=self.received_at)
        if self.seat is None:
            return LineResult(in_match(line, f"preview {line.text}"), "shown", "preview")
        self.previewed = line.text
        return LineResult(shown, "shown", "preview")

    def _submit(self, number: int, seat: Seat, line: MoveLine, typed: str) -> LineResult:
        """Play the move. Raises Refused, and does not try what follows in this match then."""
        if seat.match_id in self._stopped:
            raise line_refusals.not_reached()
        if seat.match_id in self._sealed and not self._was_submitted(number, seat):
            raise line_refusals.second_answer()
        if self.answers_other and line.match is None and line.prompt_ply is None:
            raise line_refusals.other_match(f"{seat.match.code}: {line.text}")
        prompt_ply = self._prompt_of(seat, line)
        request = Request(
            seat.match.code,
            Actor.player(self.user),
            line.text,
            Move.Source.MAIL,
            self._request_id(number),
            prompt_ply,
            self._seen_ply(seat, prompt_ply),
        )
        try:
            accepted = submit(request, now=self.received_at, asked_at=clock.now())
        except Refused as refusal:
            self._stopped.add(seat.match_id)
            match = self._fresh(seat)
            is_current = match.is_running and line.prompt_ply is None and refusal.code != "stale"
            meant = longer_moves(match, seat, line.text) if is_current else ()
            if not meant:
                raise
            return LineResult(
                in_match(line, line.text), "refused", refusal.code, refusal.message, candidates=tuple(meant)
            )
        self._answered.add(seat.match_id)
        if lies_face_down(accepted):
            self._sealed.add(seat.match_id)
        if accepted.plan or accepted.order:
            text, orders, ply = say_orders(accepted)
            return LineResult(in_match(line, text), "done", message=orders, ply=ply)
        move = accepted.moves[0]
        said = line_refusals.you_wrote(typed) if line.text != typed else None
        return LineResult(in_match(line, move.text), "done", message=said, ply=move.ply)

    def _was_submitted(self, number: int, seat: Seat) -> bool:
        """True if the move of this line was played when the mail was carried out before."""
        return self._earlier_result(number, seat) is not None

    def _count_laid(self, above: int, number: int, seat: Seat) -> int:
        """The lines of the sealed order that this line has laid when the mail was carried out before."""
        earlier = self._earlier_result(above + number, seat)
        return len(earlier.order.lines) if earlier and earlier.order else 0

    def _earlier_result(self, number: int, seat: Seat) -> Accepted | None:
        return find_known(seat, self.user, Move.Source.MAIL, self._request_id(number))

    def _read_said(self, line: MoveLine | Unread, names: Sequence[str]) -> Command | None:
        """The command that a line says in plain words.

        One that changes something counts only in a mail that says nothing else.
        """
        if not _is_whole_sentence(line):
            return None
        name = read_command(line.text, names)
        is_alone = all(other is line or says_nothing(other, names) for other in self.lines)
        match = line.match if isinstance(line, MoveLine) else None
        return Command(name, match=match) if name and (name in _HARMLESS or is_alone) else None

    def _offer_command(self, line: MoveLine | Unread, names: Sequence[str]) -> LineResult | None:
        """Name the command that a line asks for in its own words, which is never carried out; None for other lines."""
        if not _is_whole_sentence(line):
            return None
        offer = find_offer(line.text, self._today, names, self._game)
        if offer is None:
            return None
        lines = tuple(in_match(line, each) for each in offer.lines)
        return LineResult(show_line(line), "unread", WISH, offer.message, candidates=lines)

    def _run_command(self, number: int, command: Command, shown: str) -> LineResult:
        """Hand a command to its handler, in one transaction with its result. Raises Refused."""
        if command.name in SHOWN_BY_RECEIPT:
            if command.match or command.name in ABOUT_A_MATCH:
                self._find_seat(command.match)
            return LineResult(shown, "shown", command.name)
        if command.name == "unsubscribe" and not command.argument:
            command = Command("mail", "off")
        if command.name not in COMMANDS:
            return LineResult(shown, "unread", "not-by-mail", line_refusals.not_by_mail(command.name))
        earlier = self.earlier[number] if number < len(self.earlier) else None
        if earlier and earlier.outcome == "done" and earlier.line == shown:
            return earlier
        if command.wrapped and self._may_hide_move(command):
            return LineResult(shown, "unread", "talk-or-move", line_refusals.TALK_OR_MOVE)
        with transaction.atomic():
            seat = self._find_seat(command.match) if command.match else self.seat
            question = self.question if command.name in WORDS and not command.match else None
            request = CommandRequest(
                user=self.user,
                seat=question.seat if question else seat,
                argument=command.argument,
                now=self.received_at,
                request_id=self._request_id(number),
                is_binding=self.is_binding,
                is_proved=self.is_proved,
                seen_ply=self._seen_ply(seat, self.turn) if seat else None,
                proposal=question.about if question else None,
            )
            said = find_handler(command.name, request)(request)
            if request.secrets:
                # Not kept: read again, a mail makes a new code, as the answer with this one was never sent.
                self.secrets |= request.secrets
                return LineResult(shown, "shown", command.name, said)
            if command.name in {*SHOWN_WITH_NAME, *TUTORIAL_COMMANDS, *PUZZLE_COMMANDS}:
                return LineResult(shown, "shown", command.name, said)
            result = LineResult(shown, "done", command.name, said)
            self.keep([*self.results, result])
        return result

    def _may_hide_move(self, command: Command) -> bool:
        """True if a line that was taken for the rest of a text may be a move, which must not be published."""
        with suppress(Refused, *UNPLAYABLE):
            seat = self._find_seat(command.match)
            match = self._fresh(seat)
            return any_is_move(command.wrapped, seat, self._names(match))
        return False

    def _request_id(self, number: int) -> str:
        return f"{self.request_prefix}:{number}"

    def _find_seat(self, code: str | None) -> Seat:
        """The seat that a line is for; raises Refused(no-match, other-match, not-seated).

        The address of a seat is good for that match alone; that of the account for all the player's matches.
        """
        if self.seat is not None:
            if code and code != self.seat.match.code:
                raise line_refusals.other_address(self.seat.match.code)
            return self.seat
        if code is None:
            raise line_refusals.no_match()
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

    def _seen_ply(self, seat: Seat, prompt_ply: int | None) -> int | None:
        """The ply after which the writer saw the match, by the answered mail or else the prompt; None if unknown."""
        if self.shown_at is None:
            return prompt_ply - 1 if prompt_ply else None
        earlier = seat.match.moves.filter(voided_at=None, created_at__lte=self.shown_at)
        return earlier.order_by("-ply").values_list("ply", flat=True).first() or 0

    def can_read(self, text: str) -> bool:
        """True if the text is a move in the match that the mail is about, or in one of the player's matches."""
        seats = [self.seat] if self.seat else self._seats
        return any(self._find_error(seat, text) is None for seat in seats)

    @cached_property
    def _seats(self) -> list[Seat]:
        """The seats that the player may move for, in running matches."""
        sitting = sitters.acting(self.received_at).filter(sitter=self.user)
        seats = Seat.objects.select_related("match", "user").filter(match__status=Match.Status.RUNNING)
        return list(seats.filter(Q(user=self.user) | Q(pk__in=sitting.values("seat"))))

    def _find_error(self, seat: Seat, text: str) -> GameError | None:
        """The error in a line that is no move of this game at all, such as a greeting; it stops nothing."""
        match = self._fresh(seat)
        error = reading_error(match, seat, text) if match.is_running else None
        return error if error and error.kind == "invalid" else None

    def _names(self, match: Match) -> Sequence[str]:
        """The players' names, by which they may be addressed."""
        if match.pk not in self._known_names:
            self._known_names[match.pk] = selectors.names(match)
        return self._known_names[match.pk]

    def _lists(self, seat: Seat) -> Sequence[Sequence[str]]:
        """The lists of moves that the answered mail shows for the seat; none once a move of this mail was tried."""
        if seat.match_id in self._answered | self._stopped:
            return ()
        if seat.pk not in self._known_lists:
            self._known_lists[seat.pk] = self.find_lists(seat)
        return self._known_lists[seat.pk]

    def _fresh(self, seat: Seat) -> Match:
        """The match of the seat as it is after the moves of this mail."""
        return Match.objects.get(pk=seat.match_id) if seat.match_id in self._answered else seat.match


def _is_whole_sentence(line: MoveLine | Unread) -> bool:
    """True unless the line is bound to a turn, or part of a longer sentence."""
    if isinstance(line, Unread):
        return True
    return not (line.preview or line.prompt_ply is not None or line.runs_on) and line.stands_alone


def _as_text(line: Line) -> Unread:
    """The line as one that is no command."""
    return Unread(show_line(line), "usage", line_refusals.NO_COMMAND)
