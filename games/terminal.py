"""A match in a terminal: people at one keyboard against computer players.

Nothing here touches a terminal itself: reading and writing are passed in, so that a test can play too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from games.contract import Choice, Event, Game, GameError, Seat, seat_letter
from games.match import ENGLISH, Match
from games.prose import wrap

Ask: TypeAlias = Callable[[str], str]
"""Shows a short text and returns the line that was typed; raises EOFError when there is no more input."""
Say: TypeAlias = Callable[[str], None]

MOST_SHOWN = 60
"""The most legal moves that the command `moves` lists."""
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
    """Raised when the person at the keyboard leaves."""


@dataclass
class Sitting:
    """One match at one keyboard."""

    match: Match
    people: set[Seat]
    level: str
    ask: Ask
    say: Say
    past: list[int] = field(default_factory=list)
    """The number of plies before each move of a person."""


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
    """Deal a match for the keyboard; people take the first seats."""
    names = [*PERSON_NAMES[:people], *(f"{name} (bot)" for name in PERSON_NAMES[people:seats])]
    match = Match.new(game, options=options, seed=seed, players=names)
    return Sitting(match, set(range(people)), level, ask, say)


def play_sitting(sitting: Sitting) -> None:
    """Play until the match is over or everybody has left, then say how it ended and print the record."""
    game, match = sitting.match.game, sitting.match
    meta = game.rules.meta
    sitting.say(f"{meta.title}, by {meta.designer}. Type help at any time.\n")
    sitting.say(f"{wrap(game.words.first_turn(ENGLISH))}\n")
    try:
        while not match.is_over:
            _play_next(sitting)
    except (Left, EOFError, KeyboardInterrupt):
        sitting.say("\nYou have left the table. This is the record so far:\n")
    else:
        _show_end(sitting)
    sitting.say(str(match.record()))


def _play_next(sitting: Sitting) -> None:
    match = sitting.match
    if events := match.play_forced():
        _tell(sitting, events, note=" (the only possible move)")
        return
    people = [seat for seat in match.waiting if seat in sitting.people]
    if people:
        _ask_person(sitting, people[0])
    else:
        _tell(sitting, match.play_bot(sitting.level))


def _tell(sitting: Sitting, events: Sequence[Event], note: str = "") -> None:
    """Print the events that the reader may know; the note stands behind the first one."""
    reader = _find_reader(sitting)
    for event in events:
        if event.visible_to(reader):
            [sentence] = sitting.match.describe([event], you=reader)
            sitting.say(wrap(sentence + (note if event is events[0] else ""), indent="  "))


def _find_reader(sitting: Sitting) -> Seat | None:
    """Return the reader of the running log: the only person at the keyboard; with several, None (a spectator)."""
    return next(iter(sitting.people)) if len(sitting.people) == 1 else None


def _ask_person(sitting: Sitting, seat: Seat) -> None:
    """Let the person in this seat play one move, or leave."""
    if len(sitting.people) > 1:
        sitting.ask(
            f"\n{sitting.match.players[seat]}, it is your turn. Press Enter when you sit at the keyboard. "
        )
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
            before = sitting.match.ply
            events = sitting.match.play(move_text, seat)
        except GameError as refusal:
            sitting.say(refusal.message.text(ENGLISH))
        else:
            _tell(sitting, events)
            sitting.past.append(before)
            return


def _build_move(sitting: Sitting, seat: Seat) -> str:
    """Let the person choose a move step by step from numbered menus; empty when they change their mind."""
    partial = ""
    complete = False
    while choices := sitting.match.game.rules.steps(sitting.match.state, seat, partial):
        if complete:
            sitting.say(f"    0  that is all: {partial}")
        for number, choice in enumerate(choices, start=1):
            sitting.say(f"  {number:>3}  {choice.label.text(ENGLISH)}")
        chosen = _read_choice(sitting.ask(f"{partial or 'number'}: ").strip(), choices)
        if chosen is None:
            return partial if complete else ""
        partial, complete = chosen.text, chosen.complete
    return partial


def _read_choice(answer: str, choices: Sequence[Choice]) -> Choice | None:
    number = int(answer) if answer.isascii() and answer.isdigit() and len(answer) < 6 else 0
    return choices[number - 1] if 1 <= number <= len(choices) else None


def _show_board(sitting: Sitting, seat: Seat) -> bool:
    sitting.say(f"\n{sitting.match.draw(seat)}\n\n{sitting.match.prompt(seat)}")
    return False


def _show_help(sitting: Sitting, seat: Seat) -> bool:
    sitting.say(HELP)
    return False


def _show_rules(sitting: Sitting, seat: Seat) -> bool:
    sitting.say(sitting.match.game.read_rules())
    return False


def _show_moves(sitting: Sitting, seat: Seat) -> bool:
    texts = sitting.match.legal(seat, MOST_SHOWN + 1)
    for text in texts[:MOST_SHOWN]:
        sitting.say(f"  {text}")
    if len(texts) > MOST_SHOWN:
        sitting.say("  … and more. Press Enter to choose step by step.")
    return False


def _show_log(sitting: Sitting, seat: Seat) -> bool:
    for sentence in sitting.match.describe(sitting.match.log(seat), you=seat):
        sitting.say(wrap(f"  {sentence}", indent="    "))
    return False


def _show_hint(sitting: Sitting, seat: Seat) -> bool:
    rules, worths = sitting.match.game.rules, sitting.match.compare(seat)
    (move, worth), *others = [(rules.write(move), worth) for move, worth in worths.items()]
    sitting.say(f"A computer player would write: {move}")
    if others:
        beside = ", ".join(f"{other} {value:.0f}" for other, value in others[:2])
        sitting.say(wrap(f"It expects {worth:.0f} of 100 from it; from others: {beside}."))
    return False


def _take_back(sitting: Sitting, seat: Seat) -> bool:
    if not sitting.past:
        sitting.say("There is nothing to take back yet.")
        return False
    before = sitting.past.pop()
    while sitting.match.ply > before:
        sitting.match.undo()
    sitting.say("Your last move is taken back.")
    return True


def _resign(sitting: Sitting, seat: Seat) -> bool:
    if sitting.ask("Really resign? Write yes: ").strip().lower() != "yes":
        return False
    sitting.match.resign(seat)
    sitting.people.discard(seat)
    sitting.past.clear()
    sitting.say(f"{sitting.match.players[seat]} resigns.")
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
"""Commands that can be typed instead of a move; one that returns True ends the present question."""


def _show_end(sitting: Sitting) -> None:
    match = sitting.match
    names, ranks = match.players, match.ranks
    sitting.say(f"\n{match.draw()}\n")
    if match.outcome is None:
        sitting.say(f"The match is over: {names[ranks.index(1)]} wins, for the other has resigned.")
    else:
        for seat in sorted(range(len(names)), key=ranks.__getitem__):
            sitting.say(f"{ranks[seat]:>3}.  {names[seat]:<24} {match.scores[seat]:>4}")
    sitting.say("\nThe record of this match:\n")
