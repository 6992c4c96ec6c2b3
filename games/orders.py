"""Orders for later: reads the lines of a plan or sealed order, and finds the move they give when the seat is to act.

Pure text and rules, as `notation` lays it down (*Standing orders*, *Sealed pace*); asking for orders and storing them
is the host's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

from games.chance import Chance
from games.contract import Game, GameError, IllegalMove, InvalidMove, Seat
from games.reading import fold, join_continued, lower

MOST_ALTERNATIVES = 100
LONGEST = 2000
"""Characters of all lines together, in notation."""
_LONGEST_TYPED = 4 * LONGEST
"""Characters of all lines as they are typed, with every word in full."""

Line: TypeAlias = tuple[str, ...]
"""Alternatives in canonical notation; the first legal one is played."""

_ELSE_WORD = " else "
_ELSE = re.compile(r"(?:^| )else(?: |$)", re.IGNORECASE | re.ASCII)
"""Matches `else` between the alternatives of a folded line."""


@dataclass(frozen=True, slots=True)
class Orders:
    """The lines that a seat will play when it is to act, one each time; the last one repeats.

    >>> orders = Orders((("bid 2", "pass"), ("take SR",)))
    >>> orders.next_line
    ('bid 2', 'pass')
    >>> orders.advance(5).next_line, orders.advance(5).is_used_up
    (('take SR',), True)
    """

    lines: tuple[Line, ...]
    is_always: bool = False
    """True for a plan that outlives its contest."""
    used: int = 0
    """The number of lines before the next one, played or passed over."""

    @property
    def next_line(self) -> Line:
        """The alternatives that count now; empty when there are no lines at all."""
        return self.lines[min(self.used, len(self.lines) - 1)] if self.lines else ()

    @property
    def ahead(self) -> Orders:
        """Orders with only the lines from the next one on."""
        return replace(self, lines=self.lines[min(self.used, len(self.lines) - 1) :], used=0)

    @property
    def is_used_up(self) -> bool:
        """True when every line has been played and the last one only repeats."""
        return self.used >= len(self.lines)

    def advance(self, lines: int = 1) -> Orders:
        """Return these orders with `lines` more lines played."""
        return replace(self, used=self.used + lines)


class UnreadableOrder(Exception):
    """An alternative that is no move of the game: its `text` as it was written, and the `error` of its reading."""

    def __init__(self, text: str, error: GameError) -> None:
        self.text = text
        self.error = error
        super().__init__(text, error)


def has_alternatives(text: str) -> bool:
    """Return whether a line is written `MOVE else MOVE`."""
    return _ELSE.search(fold(text)) is not None


def spell_out(game: Game, state: Any, seat: Seat, text: str) -> str:
    """Return the typed text with the game's shorthand written out in notation; not for records.

    >>> from games.match import Match
    >>> match = Match.new("gem", seats=3, seed="example")
    >>> spell_out(match.game, match.state, 1, "up to 2 else pass")
    'bid 1 else bid 2 else pass'
    """
    if game.spell_out is None or "up" not in lower(text) or len(text) > _LONGEST_TYPED:
        return text
    parts = [part for line in text.splitlines() for part in line.split(";")]
    if len(parts) > MOST_ALTERNATIVES:
        return text  # too much for one plan, as its reader will say
    return "\n".join([_spell_out_line(game.spell_out, state, seat, part) for part in parts])


def _spell_out_line(
    short: Callable[[Any, Seat, str], Sequence[str]], state: Any, seat: Seat, line: str
) -> str:
    return _ELSE_WORD.join([text for one in _ELSE.split(fold(line)) for text in short(state, seat, one)])


def read_orders(game: Game, state: Any, seat: Seat, text: str, *, is_sealed: bool = False) -> Orders:
    """Read orders: a line for each time the seat acts; `always` alone on the first line makes a plan permanent.

    `;` separates lines too, and a broken line continues as in a mail. `is_sealed`: for the contest that is open.
    Raises UnreadableOrder for the first alternative that does not parse, and for a text that is too long.

    >>> from games.match import Match
    >>> match = Match.new("gem", seats=3, seed="example")
    >>> read_orders(match.game, match.state, 0, "Bid  2 else p; take ruby").lines
    (('bid 2', 'pass'), ('take TR',))
    """
    if len(text) > _LONGEST_TYPED:
        raise _refuse_long(text)
    read = game.read_later or game.rules.parse
    if is_sealed and game.sealed_pace:
        read = game.sealed_pace.read
    lines = [part for line in _split(text) for part in line.split(";") if part.strip()]
    is_always = bool(lines) and lower(fold(lines[0])).removesuffix(".") == "always"
    found = tuple(
        [
            _read_line(line, lambda text: game.rules.write(read(state, seat, text)))
            for line in lines[is_always:]
        ]
    )
    if not found:
        raise UnreadableOrder(text, InvalidMove("empty", "There is no move in it. Write one move on a line."))
    orders = Orders(found, is_always)
    if sum(map(len, found)) > MOST_ALTERNATIVES or len(write_orders(orders)) > LONGEST:
        raise _refuse_long(text)
    return orders


def _refuse_long(text: str) -> UnreadableOrder:
    error = InvalidMove("too-long", "That is too much for one plan. Write fewer or shorter lines.")
    return UnreadableOrder(text[:40], error)


def _split(text: str) -> Sequence[str]:
    numbered = [(place, line) for place, line in enumerate(text.splitlines()) if line.strip()]
    return [line for _, line in join_continued(numbered)]


def _read_line(line: str, canonical: Callable[[str], str]) -> Line:
    alternatives = []
    for text in _ELSE.split(fold(line)):
        try:
            alternatives.append(canonical(text))
        except GameError as error:
            raise UnreadableOrder(text or line, error) from error
    return tuple(dict.fromkeys(alternatives))


def write_line(line: Line) -> str:
    """Write one line in notation.

    >>> write_line(("up to 17", "pass"))
    'up to 17 else pass'
    """
    return _ELSE_WORD.join(line)


def write_orders(orders: Orders) -> str:
    """Write all lines in one, as a sealed order's hash covers it.

    >>> write_orders(Orders((("bid 2", "pass"), ("take SR",))))
    'bid 2 else pass; take SR'
    """
    return "; ".join(map(write_line, orders.lines))


def find_legal(game: Game, state: Any, seat: Seat, line: Line, chance: Chance) -> Any:
    """Return the first alternative that is legal now, as a move of the game; None when there is none.

    Orders are stored in canonical notation and therefore stay readable; an alternative that is not is passed over, so
    that it cannot stop the match.
    """
    for text in line:
        try:
            move = game.rules.parse(state, seat, text)
            game.rules.apply(state, seat, move, chance)
        except GameError:
            continue
        return move
    return None


def list_choosers(game: Game, state: Any) -> frozenset[Seat]:
    """Return the bidders of the present contest that have a choice, whatever the others do.

    The game must have a sealed pace.
    """
    assert game.sealed_pace is not None
    choosers = []
    for seat in game.rules.bidders(state):
        met = game.sealed_pace.at_turn(state, seat)
        if met is not None and len(list(islice(game.rules.legal_moves(met, seat), 2))) == 2:
            choosers.append(seat)
    return frozenset(choosers)


def check_order(game: Game, state: Any, seat: Seat, orders: Orders) -> None:
    """Raise IllegalMove if no alternative of the next line could be legal, however the others order."""
    assert game.sealed_pace is not None
    met = game.sealed_pace.at_turn(state, seat)
    refusal = None
    for text in orders.next_line:
        try:
            game.rules.apply(met, seat, game.rules.parse(met, seat, text), Chance("", "order"))
        except IllegalMove as error:
            refusal = refusal or error
        else:
            return
    if refusal:
        raise refusal
