"""Finds the move that a line of a mail means: in notation, or as people say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from games import registry
from games.contract import GameError, InvalidMove, Message
from games.orders import UnreadableOrder, has_alternatives, read_orders, spell_out, write_orders
from games.phrases.asking import asks_of_line_above
from games.phrases.correcting import corrected
from games.phrases.lines import find_core, find_parts, introduces, is_correction, is_courtesy
from games.phrases.phrasebook import fold_words
from games.phrases.phrasing import MOST_SUGGESTED
from games.reading import echo, split_line
from gemserver.mailgate.lines.commands import Command, Line, MoveLine, Unread
from gemserver.matches import prompts, replay
from gemserver.matches.models import Match, Seat
from gemserver.matches.offered.game_guard import UNPLAYABLE, BrokenGame
from gemserver.matches.said import open_reader

_WORDS = frozenset(("si", "in", "pas", "dis", "de", "ta"))
"""Beginnings of moves that are words themselves: `si R3` says *if* in French."""

_IS_LISTED = re.compile(r"(?:[-*•◦▪▸►→·]+|->|\d{1,2}[.)]|[a-h]\)) ", re.IGNORECASE)
_IS_TOLD = re.compile(
    r"[^:]{0,60}\b(?:write|type|écris|écrivez|tapez|schreib|schreibe|schreiben) ?:", re.IGNORECASE
)
_SECOND_THOUGHT = re.compile(
    r"(?:p\.?s\.?:? )?(?:oh,? |oder |or |ou )?"
    r"(?:actually|edit|sorry|better|rather|or|eigentlich|besser|lieber|doch|oder|entschuldigung"
    r"|en fait|plutôt|pardon|désolée?|mieux|ou)\b[,:;!. ]*",
    re.IGNORECASE,
)
_DOUBTS = frozenset("❌🚫👎✖✗✘❎⛔🛑❓❔⁉☐○◯⬜")


def reading_error(match: Match, seat: Seat, text: str) -> GameError | None:
    """The error if the line is no move, and no `MOVE else MOVE`, of this match; None if it can be read.

    A mail has initials and names below its moves: a line without a number is a move only if its first word is written
    in full, so that `P` or `Pa` is no `pass` and `D S` no `draw small`. So is one whose first word is another word too.
    """
    game, position = registry.game(match.game), replay.position(match)
    is_sealed = prompts.has_open_contest(match, position)
    typed = spell_out(game, position, seat.index, text)
    try:
        if has_alternatives(typed):
            read_orders(game, position, seat.index, typed, is_sealed=is_sealed)
            return None
        if is_sealed:
            canonical = write_orders(read_orders(game, position, seat.index, typed, is_sealed=True))
        else:
            canonical = match.rules.write(match.rules.parse(position, seat.index, typed))
        word, meant = split_line(text)[0], canonical.split()[0]
        is_short = word != meant and meant.startswith(word.lower())
        if is_short and (word.lower() in _WORDS or not any(map(str.isdecimal, text))):
            raise InvalidMove(
                "shortened",
                "“{word}” could be a name. If you mean the move, write its first word in full: {move}",
                word=echo(word),
                move=meant,
            )
    except UnreadableOrder as error:
        return error.error
    except GameError as error:
        return error
    return None


def in_notation(
    match: Match,
    seat: Seat,
    line: MoveLine,
    lines: Sequence[Line],
    names: Callable[[], Sequence[str]],
    lists: Callable[[], Sequence[Sequence[str]]] = tuple,
) -> MoveLine:
    """Return the line, one of the `lines` of a mail, with the one move that it can mean; unchanged if there is none.

    To notation a part is added that it leaves out, if only one legal move has such a part. Other words are read only if
    the line is no part of a longer sentence, and a number only if nothing else was written. `names` returns those of
    the players, `lists` the lists of moves of the mail that is answered.
    """
    if line.runs_on or not line.stands_alone:
        return line
    with suppress(BrokenGame):  # `submit` finds that out too, and stops the match
        if reading_error(match, seat, line.text) is None:
            move = open_reader(match, seat).complete(line.text) if line.prompt_ply is None else None
            return replace(line, text=move) if move else line
        return _find_said(match, seat, line, lines, names(), lists)
    return line


def _find_said(
    match: Match,
    seat: Seat,
    line: MoveLine,
    lines: Sequence[Line],
    names: Sequence[str],
    lists: Callable[[], Sequence[Sequence[str]]],
) -> MoveLine:
    is_plain = "?" not in line.text  # who asks how somebody is may move beside it
    has_parts = find_parts(line.text, names) or find_core(line.text, names) or any(corrected(line.text))
    if is_plain and not has_parts:
        return line
    is_alone = all(
        other is line or _is_for_another_match(other, line) or says_nothing(other, names) for other in lines
    )
    reader = open_reader(match, seat)
    if found := reader.find(line.text, names, is_alone=is_alone):
        return replace(line, text=found)
    if is_alone and (listed := reader.find_listed(_with_number(line), names, lists)):
        return replace(line, text=listed[0], prompt_ply=None)
    return line


def _is_for_another_match(other: Line, line: MoveLine) -> bool:
    """True if both lines name their match, and not the same: `M17: 3` and `M18: option 2`."""
    return isinstance(other, MoveLine) and None not in (other.match, line.match) and other.match != line.match


def _with_number(line: MoveLine) -> str:
    """The line as it was typed: the number of `option #2` is a place in a list, and not that of a turn."""
    return line.text if line.prompt_ply is None else f"{line.text} #{line.prompt_ply}"


def says_nothing(line: Line, names: Iterable[str]) -> bool:
    """True for courtesy, for a name of one or two words below it, and for a comment."""
    if not isinstance(line, MoveLine):
        return isinstance(line, Unread) and line.code == "comment"
    words = line.text.rstrip(".,!").split()
    return is_courtesy(line.text, names) or (len(words) <= 2 and all(word.istitle() for word in words))


def is_taken_back(line: MoveLine, lines: Sequence[Line]) -> bool:
    """True if one of the `lines` below this one takes it back: `No wait, 4.`"""
    below = [other.text for other in lines[_place(line, lines) + 1 :] if not isinstance(other, Command)]
    verb = line.text.partition(" ")[0].lower()
    return any(is_correction(text) or _is_second_thought(text, verb) for text in below)


def _is_second_thought(text: str, verb: str) -> bool:
    """True for a line that puts another move in the place of one with this verb: `actually bid 2`."""
    found = _SECOND_THOUGHT.match(text)
    rest = fold_words(text[found.end() :]).split() if found else []
    return bool(rest) and (rest[0] in {verb, "pass", "passe"} or rest[0].isdecimal())


def is_in_doubt(line: MoveLine, lines: Sequence[Line]) -> bool:
    """True if the line, as it was typed, may only tell of the move.

    It stands in a list (`1) bid 3`), behind words of our mails (`To play, write: bid 3`) or beside a sign that denies
    or asks; or the line above tells of it or denies it (`Ben said:`), or that below asks of it (`Is that ok?`).
    """
    if _IS_LISTED.match(line.text) or _IS_TOLD.match(line.text) or not _DOUBTS.isdisjoint(line.text):
        return True
    place = _place(line, lines)
    above = lines[place - 1] if place else None
    below = lines[place + 1] if place + 1 < len(lines) else None
    if isinstance(above, MoveLine) and introduces(above.text):
        return True
    return isinstance(below, MoveLine) and asks_of_line_above(below.text)


def _place(line: Line, lines: Sequence[Line]) -> int:
    return next(place for place, other in enumerate(lines) if other is line)


def candidates(
    match: Match,
    seat: Seat,
    line: MoveLine,
    names: Sequence[str],
    lists: Callable[[], Sequence[Sequence[str]]],
) -> Sequence[str]:
    """The moves that the writer of an unreadable line may have meant, at most three; none if it is mere prose."""
    if line.runs_on or not line.stands_alone:
        return ()
    with suppress(BrokenGame):
        reader = open_reader(match, seat)
        listed = reader.find_listed(_with_number(line), names, lists, is_certain=False)
        return listed or reader.suggest(line.text, names)
    return ()


def longer_moves(match: Match, seat: Seat, text: str) -> Sequence[str]:
    """The legal moves that a refused one leaves a part out of, such as what is paid; at most three."""
    with suppress(BrokenGame):
        return open_reader(match, seat).list_longer(text)[:MOST_SUGGESTED]
    return ()


def moves_in_parts(match: Match, seat: Seat, line: MoveLine, names: Sequence[str]) -> Sequence[str]:
    """The moves that parts of a line may mean, whatever it says beside; at most three."""
    if line.runs_on or not line.stands_alone:
        return ()
    with suppress(*UNPLAYABLE):
        return open_reader(match, seat).suggest_from_parts(line.text, names)
    return ()


def moves_meant(match: Match, seat: Seat, line: MoveLine, names: Sequence[str]) -> Sequence[str]:
    """The moves that a line may have been meant as, whatever stands around it; at most three."""
    with suppress(BrokenGame):
        reader = open_reader(match, seat)
        found = reader.find(line.text, names)
        return (found,) if found else reader.suggest(line.text, names)
    return ()


def any_is_move(texts: Iterable[str], seat: Seat, names: Sequence[str]) -> bool:
    """True if one of these lines is, or may be meant as, a move of this seat."""
    match = seat.match
    return match.is_running and any(
        reading_error(match, seat, text) is None or moves_meant(match, seat, MoveLine(text), names)
        for text in texts
    )


def did_you_mean(moves: Sequence[str]) -> Message:
    """The sentence that offers these moves."""
    return Message("Nothing was played. Did you mean: {moves}", {"moves": " · ".join(moves)})
