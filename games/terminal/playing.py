"""A match in a terminal: people at one keyboard against computer players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from games.contract import Choice, Event, GameError, Message, Seat, seat_letter
from games.match import Match
from games.prose import wrap
from games.terminal.console import Console

MOST_SHOWN = 60
"""The most legal moves that the command `moves` lists."""
PERSON_NAMES = ("Ana", "Bob", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal")

HELP = Message(
    """\
Write a move as the prompt shows it. Words may be shortened.
  (nothing)  choose the move from a menu, step by step
  moves      list the moves you can write now
  board      show the board again
  log        show what has happened so far
  rules      read the rules of the game
  hint       ask a computer player
  undo       take back your last move
  resign     give up your seat
  quit       leave; the record is printed"""
)


class Left(Exception):
    """Raised when the person at the keyboard leaves."""


@dataclass
class Sitting:
    """One match at one keyboard."""

    console: Console
    match: Match
    people: set[Seat]
    level: str
    past: list[int] = field(default_factory=list)
    """The number of plies before each move of a person."""


def sit_down(
    console: Console, *, seats: int, people: int, level: str, seed: str, options: Mapping[str, str]
) -> Sitting:
    """Deal a match for the keyboard; people take the first seats."""
    bot = console.tr.gettext("{name} (bot)")
    names = [*PERSON_NAMES[:people], *(bot.format(name=name) for name in PERSON_NAMES[people:seats])]
    match = Match.new(console.game, options=options, seed=seed, players=names)
    return Sitting(console, match, set(range(people)), level)


def play_sitting(sitting: Sitting) -> None:
    """Play until the match is over or everybody has left, then say how it ended and print the record.

    The record is printed too where the game fails; the error goes on, for its author.
    """
    console, tr = sitting.console, sitting.console.tr
    meta = console.game.rules.meta
    opening = tr.gettext("{game}, by {designer}. Type help at any time.")
    console.tell(opening.format(game=meta.title, designer=meta.designer))
    console.say(f"\n{wrap(console.game.words.first_turn(tr))}\n")
    try:
        while not sitting.match.is_over:
            _play_next(sitting)
    except (Left, EOFError, KeyboardInterrupt):
        console.say("\n" + tr.gettext("You have left the table. This is the record so far:") + "\n")
    except Exception:
        console.say("\n" + tr.gettext("The game has failed. This is the record so far:") + "\n")
        console.say(str(sitting.match.record()))
        raise
    else:
        _show_end(sitting)
    console.say(str(sitting.match.record()))


def _play_next(sitting: Sitting) -> None:
    match = sitting.match
    if events := match.play_forced():
        _tell(sitting, events, note=sitting.console.tr.gettext("(the only possible move)"))
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
            [sentence] = sitting.match.describe([event], sitting.console.tr, reader)
            noted = f"{sentence} {note}" if note and event is events[0] else sentence
            sitting.console.say(wrap(noted, indent="  "))


def _find_reader(sitting: Sitting) -> Seat | None:
    """Return the reader of the running log: the only person at the keyboard; with several, None (a spectator)."""
    return next(iter(sitting.people)) if len(sitting.people) == 1 else None


def _ask_person(sitting: Sitting, seat: Seat) -> None:
    """Let the person in this seat play one move, or leave."""
    console = sitting.console
    if len(sitting.people) > 1:
        called = console.tr.gettext("{name}, it is your turn. Press Enter when you sit at the keyboard.")
        console.ask(f"\n{wrap(called.format(name=sitting.match.players[seat]))} ")
    _show_board(sitting, seat)
    while True:
        text = console.ask(f"{seat_letter(seat)}> ").strip()
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
            console.explain(refusal)
        else:
            _tell(sitting, events)
            sitting.past.append(before)
            return


def _build_move(sitting: Sitting, seat: Seat) -> str:
    """Let the person choose a move step by step from numbered menus; empty when they change their mind."""
    console, partial, complete = sitting.console, "", False
    while choices := sitting.match.game.rules.steps(sitting.match.state, seat, partial):
        if complete:
            console.say("    0  " + console.tr.gettext("that is all: {move}").format(move=partial))
        for number, choice in enumerate(choices, start=1):
            console.say(f"  {number:>3}  {choice.label.text(console.tr)}")
        asked = partial or console.tr.gettext("number")
        chosen = _read_choice(console.ask(f"{asked}> ").strip(), choices)
        if chosen is None:
            return partial if complete else ""
        partial, complete = chosen.text, chosen.complete
    return partial


def _read_choice(answer: str, choices: Sequence[Choice]) -> Choice | None:
    number = int(answer) if answer.isascii() and answer.isdigit() and len(answer) < 6 else 0
    return choices[number - 1] if 1 <= number <= len(choices) else None


def _show_board(sitting: Sitting, seat: Seat) -> bool:
    match, tr = sitting.match, sitting.console.tr
    sitting.console.say(f"\n{match.draw(seat, tr)}\n\n{match.prompt(seat, tr)}")
    return False


def _show_help(sitting: Sitting, seat: Seat) -> bool:
    sitting.console.say(HELP.text(sitting.console.tr))
    return False


def _show_rules(sitting: Sitting, seat: Seat) -> bool:
    sitting.console.show_rules()
    return False


def _show_moves(sitting: Sitting, seat: Seat) -> bool:
    texts = sitting.match.legal(seat, MOST_SHOWN + 1)
    for text in texts[:MOST_SHOWN]:
        sitting.console.say(f"  {text}")
    if len(texts) > MOST_SHOWN:
        more = sitting.console.tr.gettext("… and more. Press Enter to choose step by step.")
        sitting.console.say(f"  {more}")
    return False


def _show_log(sitting: Sitting, seat: Seat) -> bool:
    for sentence in sitting.match.describe(sitting.match.log(seat), sitting.console.tr, seat):
        sitting.console.say(wrap(f"  {sentence}", indent="    "))
    return False


def _show_hint(sitting: Sitting, seat: Seat) -> bool:
    rules, worths, tr = sitting.match.game.rules, sitting.match.compare(seat), sitting.console.tr
    (move, worth), *others = [(rules.write(move), f"{worth:.0f}") for move, worth in worths.items()]
    sitting.console.tell(tr.gettext("A computer player would write: {move}").format(move=move))
    if others:
        beside = ", ".join(f"{other} {value}" for other, value in others[:2])
        expected = tr.gettext("It expects {worth} of 100 from it; from others: {others}.")
        sitting.console.tell(expected.format(worth=worth, others=beside))
    return False


def _take_back(sitting: Sitting, seat: Seat) -> bool:
    if not sitting.past:
        sitting.console.tell(Message("There is nothing to take back yet."))
        return False
    before = sitting.past.pop()
    while sitting.match.ply > before:
        sitting.match.undo()
    sitting.console.tell(Message("Your last move is taken back."))
    return True


def _resign(sitting: Sitting, seat: Seat) -> bool:
    console = sitting.console
    if console.ask(console.tr.gettext("Really resign? Write yes:") + " ").strip().lower() != "yes":
        return False
    sitting.match.resign(seat)
    sitting.people.discard(seat)
    sitting.past.clear()
    console.tell(Message("{name} resigns.", {"name": sitting.match.players[seat]}))
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
    match, console = sitting.match, sitting.console
    names, ranks = match.players, match.ranks
    console.say(f"\n{match.draw(tr=console.tr)}\n")
    if match.outcome is None:
        winner = {"name": names[ranks.index(1)]}
        console.tell(Message("The match is over: {name} wins, for the other has resigned.", winner))
    else:
        for seat in sorted(range(len(names)), key=ranks.__getitem__):
            console.say(f"{ranks[seat]:>3}.  {names[seat]:<24} {match.scores[seat]:>4}")
    console.say("\n" + console.tr.gettext("The record of this match:") + "\n")
