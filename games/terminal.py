"""A match in a terminal: people at one keyboard against computer players.

Nothing here touches a terminal itself: reading and writing are handed in, so that a test can sit down too.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, TypeAlias

from games import bots
from games.chance import Chance
from games.contract import Asked, Choice, Event, Game, GameError, Seat, seat_letter
from games.prose import wrap
from games.record import RESIGN, MoveLine, Record, write_options, write_record

Ask: TypeAlias = Callable[[str], str]
"""Shows a short text and returns the line that was typed; raises EOFError when there is no more input."""
Say: TypeAlias = Callable[[str], None]

TR = gettext.NullTranslations()
PERSON_NAMES = ("Ana", "Bob", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal")

HELP = """\
Write a move as the prompt shows it. Words may be shortened.
  (nothing)  choose the move from a menu, step by step
  moves      list the moves you can write now
  board      show the board again        log     what has happened so far
  rules      read the rules of the game
  hint       ask a computer player       undo    take back your last move
  resign     give up your seat           quit    leave; the record is printed"""


class Left(Exception):
    """The person at the keyboard has left."""


@dataclass
class Sitting:
    """One match at one keyboard."""

    game: Game
    names: Sequence[str]
    people: set[Seat]
    level: str
    seed: str
    options: Mapping[str, str]
    ask: Ask
    say: Say
    state: Any = None
    lines: list[MoveLine] = field(default_factory=list)
    log: list[Event] = field(default_factory=list)
    resigned: set[Seat] = field(default_factory=set)
    past: list[tuple[Any, int, int]] = field(default_factory=list)
    """Before each move of a person: the position, the number of plies and of events."""

    @property
    def is_over(self) -> bool:
        gave_up = len(self.names) == 2 and bool(self.resigned)
        return gave_up or not self.game.rules.waiting_on(self.state)

    def record(self) -> Record:
        """The match so far, as a record."""
        rules = self.game.rules
        ending = result = None
        if self.is_over:
            ending = "resigned" if rules.outcome(self.state) is None else "played out"
            result = tuple(rules.standing(self.state))
        return Record(
            game=rules.meta.slug,
            version=rules.meta.version,
            players=tuple(self.names),
            options=write_options(rules.meta, self.options, len(self.names)),
            seed=self.seed,
            moves=tuple(self.lines),
            ending=ending,
            result=result,
        )


def sit_down(
    game: Game,
    *,
    seats: int,
    people: int,
    level: str,
    seed: str,
    options: Mapping[str, str],
    ask: Ask,
    say: Say,
) -> Sitting:
    """A match that is dealt and ready; people take the first seats."""
    names = [*PERSON_NAMES[:people], *(f"{name} (bot)" for name in PERSON_NAMES[people:seats])]
    sitting = Sitting(game, names, set(range(people)), level, seed, options, ask, say)
    sitting.state = game.rules.deal(seats=seats, options=options, chance=Chance(seed, "deal"))
    return sitting


def play_sitting(sitting: Sitting) -> None:
    """Play until the match is over or everybody has left, then say how it ended and print the record."""
    meta = sitting.game.rules.meta
    sitting.say(f"{meta.title}, by {meta.designer}. Type help at any time.\n")
    sitting.say(f"{wrap(sitting.game.words.first_turn(TR))}\n")
    try:
        while not sitting.is_over:
            _play_next(sitting)
    except (Left, EOFError, KeyboardInterrupt):
        sitting.say("\nYou have left the table. This is the record so far:\n")
    else:
        _show_end(sitting)
    sitting.say(write_record(sitting.record()))


def _play_next(sitting: Sitting) -> None:
    rules = sitting.game.rules
    forced = rules.forced_move(sitting.state)
    if forced is not None:
        _play(sitting, *forced, "auto")
        return
    waiting = sorted(rules.waiting_on(sitting.state))
    people = [seat for seat in waiting if seat in sitting.people]
    if people:
        _ask_person(sitting, people[0])
        return
    seat = waiting[0]
    dice = Chance(sitting.seed, f"bot {len(sitting.lines)}")
    _play(sitting, seat, bots.choose(sitting.level, rules, sitting.state, seat, dice), "bot")


def _play(sitting: Sitting, seat: Seat, move: Any, played_by: str) -> None:
    """Play a legal move and say what it did. Raises IllegalMove."""
    rules = sitting.game.rules
    ply = len(sitting.lines) + 1
    step = rules.apply(sitting.state, seat, move, Chance(sitting.seed, f"ply {ply}"))
    sitting.lines.append(MoveLine(seat, rules.write(move), played_by, ply))
    sitting.log += step.events
    sitting.state = step.state
    reader = _find_reader(sitting)
    for event in step.events:
        if event.visible_to(reader):
            forced = " (the only possible move)" if played_by == "auto" and event is step.events[0] else ""
            sitting.say(wrap(sitting.game.words.describe(event, TR, sitting.names) + forced, indent="  "))


def _find_reader(sitting: Sitting) -> Seat | None:
    """Who may read the running log: the only person at the keyboard; with several, what everybody may know."""
    return next(iter(sitting.people)) if len(sitting.people) == 1 else None


def _ask_person(sitting: Sitting, seat: Seat) -> None:
    """Let the person in this seat play one move, or leave."""
    if len(sitting.people) > 1:
        sitting.ask(f"\n{sitting.names[seat]}, it is your turn. Press Enter when you sit at the keyboard. ")
    _show_board(sitting, seat)
    while True:
        text = sitting.ask(f"{seat_letter(seat)}> ").strip()
        if text.lower() in _COMMANDS:
            if _COMMANDS[text.lower()](sitting, seat):
                return
            continue
        try:
            move_text = text or _build_move(sitting, seat)
            if not move_text:
                continue
            move = sitting.game.rules.parse(sitting.state, seat, move_text)
            before = (sitting.state, len(sitting.lines), len(sitting.log))
            _play(sitting, seat, move, "")
        except GameError as refusal:
            sitting.say(refusal.message.text(TR))
        else:
            sitting.past.append(before)
            return


def _build_move(sitting: Sitting, seat: Seat) -> str:
    """A move text chosen step by step from numbered menus; empty when the person changes their mind."""
    partial = ""
    complete = False
    while choices := sitting.game.rules.steps(sitting.state, seat, partial):
        if complete:
            sitting.say(f"    0  that is all: {partial}")
        for number, choice in enumerate(choices, start=1):
            sitting.say(f"  {number:>3}  {choice.label.text(TR)}")
        chosen = _read_choice(sitting.ask(f"{partial or 'number'}: ").strip(), choices)
        if chosen is None:
            return partial if complete else ""
        partial, complete = chosen.text, chosen.complete
    return partial


def _read_choice(answer: str, choices: Sequence[Choice]) -> Choice | None:
    number = int(answer) if answer.isascii() and answer.isdigit() and len(answer) < 6 else 0
    return choices[number - 1] if 1 <= number <= len(choices) else None


def _show_board(sitting: Sitting, seat: Seat) -> bool:
    view = sitting.game.rules.view(sitting.state, seat)
    words = sitting.game.words
    sitting.say(f"\n{words.draw(view, TR, sitting.names)}\n\n{words.prompt(view, TR, sitting.names)}")
    return False


def _show_help(sitting: Sitting, seat: Seat) -> bool:
    sitting.say(HELP)
    return False


def _show_rules(sitting: Sitting, seat: Seat) -> bool:
    slug = sitting.game.rules.meta.slug
    sitting.say((resources.files("games") / slug / "RULES.md").read_text(encoding="utf-8"))
    return False


def _show_moves(sitting: Sitting, seat: Seat) -> bool:
    rules = sitting.game.rules
    for place, move in enumerate(rules.legal_moves(sitting.state, seat)):
        if place == 60:
            sitting.say("  … and more. Press Enter to choose step by step.")
            break
        sitting.say(f"  {rules.write(move)}")
    return False


def _show_log(sitting: Sitting, seat: Seat) -> bool:
    for event in sitting.log:
        if event.visible_to(seat):
            sentence = sitting.game.words.describe(event, TR, sitting.names)
            sitting.say(wrap(f"  {sentence}", indent="    "))
    return False


def _show_hint(sitting: Sitting, seat: Seat) -> bool:
    dice = Chance(sitting.seed, f"hint {len(sitting.lines)}")
    rules = sitting.game.rules
    sitting.say(
        f"A computer player would write: {rules.write(bots.choose('normal', rules, sitting.state, seat, dice))}"
    )
    return False


def _take_back(sitting: Sitting, seat: Seat) -> bool:
    if not sitting.past:
        sitting.say("There is nothing to take back yet.")
        return False
    sitting.state, plies, events = sitting.past.pop()
    del sitting.lines[plies:]
    del sitting.log[events:]
    sitting.say("Your last move is taken back.")
    return True


def _resign(sitting: Sitting, seat: Seat) -> bool:
    if sitting.ask("Really resign? Write yes: ").strip().lower() != "yes":
        return False
    sitting.lines.append(MoveLine(seat, RESIGN, "", len(sitting.lines) + 1))
    sitting.resigned.add(seat)
    sitting.people.discard(seat)
    sitting.past.clear()
    sitting.say(f"{sitting.names[seat]} resigns.")
    return True


def _leave(sitting: Sitting, seat: Seat) -> bool:
    raise Left


_COMMANDS: Mapping[str, Callable[[Sitting, Seat], bool]] = {
    "help": _show_help,
    "?": _show_help,
    "board": _show_board,
    "rules": _show_rules,
    "moves": _show_moves,
    "log": _show_log,
    "hint": _show_hint,
    "undo": _take_back,
    "resign": _resign,
    "quit": _leave,
}
"""What can be written beside moves; a command that returns True ends the present question."""


def _show_end(sitting: Sitting) -> None:
    rules, words = sitting.game.rules, sitting.game.words
    view = rules.view(sitting.state, None)
    asked = Asked() if rules.outcome(sitting.state) is None else None
    sitting.say(f"\n{words.draw(view, TR, sitting.names, asked)}\n")
    if rules.outcome(sitting.state) is None:
        winner = next(name for seat, name in enumerate(sitting.names) if seat not in sitting.resigned)
        sitting.say(f"The match is over: {winner} wins, for the other has resigned.")
    else:
        scores, ranks = rules.standing(sitting.state), rules.ranks(sitting.state)
        for seat in sorted(range(len(sitting.names)), key=ranks.__getitem__):
            sitting.say(f"{ranks[seat]:>3}.  {sitting.names[seat]:<24} {scores[seat]:>4}")
    sitting.say("\nThe record of this match:\n")
