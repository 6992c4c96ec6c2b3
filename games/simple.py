"""Implements most of the contract for a game without hidden cards and contests, in which seats move in turn.

`SimpleRules` needs `meta` and `state_type`, and `start`, `turn`, `moves`, `play`, `standing` and `write`.
`SimpleWords` needs `first_turn` and `list_position`. Each of the other functions can be replaced alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from games.chance import Chance
from games.contract import (
    AmbiguousMove,
    Asked,
    Choice,
    Event,
    GameMeta,
    IllegalMove,
    InvalidMove,
    Message,
    Options,
    Outcome,
    Seat,
    Step,
    Translator,
    rank_seats,
    seat_letter,
)
from games.prose import ask, head, list_line, name_winners, note_asked, person, say_asked, wrap
from games.reading import echo, fold, lower, refuse_long
from games.turns import expect_turn

S = TypeVar("S")
M = TypeVar("M")

DEAL = "start"
"""The `Deal:` line of a game in which nothing is drawn before the first move."""
MOST_SHOWN = 12
"""The number of moves that a prompt writes out."""


@dataclass(frozen=True, slots=True)
class SimpleView(Generic[S]):
    """The view of an open game: the whole position, and the reader's own moves."""

    reader: Seat | None
    state: S
    turn: Seat | None
    moves: tuple[str, ...]
    """The reader's first moves, in notation; empty when it is not the reader's turn."""
    scores: tuple[int, ...]
    ranks: tuple[int, ...]


class SimpleRules(Generic[S, M]):
    """Rules of a game in which nothing is hidden; a move is any frozen value."""

    meta: GameMeta
    state_type: type[S]

    # To be written by the game

    def start(self, seats: int, options: Options, first: Seat) -> S:
        """Return the position before the first move, which belongs to seat `first`."""
        raise NotImplementedError

    def turn(self, state: S) -> Seat | None:
        """The seat that is to act; None when the match is over."""
        raise NotImplementedError

    def moves(self, state: S) -> Iterable[M]:
        """All legal moves of the seat that is to act, in the order in which they are offered."""
        raise NotImplementedError

    def play(self, state: S, move: M, chance: Chance) -> S:
        """Return the position after a legal move."""
        raise NotImplementedError

    def standing(self, state: S) -> Sequence[int]:
        """The scores if it ended now."""
        raise NotImplementedError

    def write(self, move: M) -> str:
        """Write the move in notation: one line, a different one for every move of a position."""
        raise NotImplementedError

    # Derived from the functions above

    def deal(self, *, seats: int, options: Options, chance: Chance) -> S:
        return self.start(seats, options, chance.below(seats))

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> S:
        if lower(deal).strip() != DEAL:
            raise InvalidMove(
                "bad-deal", "The deal of {game} is written: {deal}.", game=self.meta.title, deal=DEAL
            )
        return self.start(seats, options, first)

    def write_deal(self, state: S) -> str:
        return DEAL

    def waiting_on(self, state: S) -> frozenset[Seat]:
        turn = self.turn(state)
        return frozenset() if turn is None else frozenset((turn,))

    def legal_moves(self, state: S, seat: Seat) -> Iterator[M]:
        return iter(self.moves(state) if seat == self.turn(state) else ())

    def apply(self, state: S, seat: Seat, move: M, chance: Chance) -> Step[S]:
        turn = self.turn(state)
        expect_turn(seat, turn or 0, is_over=turn is None)
        if move not in self.moves(state):
            raise IllegalMove("not-now", "You cannot play that now. Write one of the moves that are listed.")
        after = self.play(state, move, chance)
        return Step(after, tuple(self.tell(after, seat, move)))

    def tell(self, after: S, seat: Seat, move: M) -> Iterator[Event]:
        """Yield the events of a move: the move itself, and the end of the match if it ends."""
        yield Event("move", seat, {"move": self.write(move)})
        if self.turn(after) is None:
            yield Event(
                "over", None, {"scores": list(self.standing(after)), "ranks": list(self.ranks(after))}
            )

    def outcome(self, state: S) -> Outcome | None:
        if self.turn(state) is not None:
            return None
        return Outcome(tuple(self.standing(state)), tuple(self.ranks(state)))

    def ranks(self, state: S) -> Sequence[int]:
        return rank_seats([(score,) for score in self.standing(state)])

    def view(self, state: S, seat: Seat | None) -> Any:
        self._expect_open()
        turn = self.turn(state)
        moves = islice(self.moves(state), MOST_SHOWN + 1) if seat is not None and seat == turn else ()
        return SimpleView(
            reader=seat,
            state=state,
            turn=turn,
            moves=tuple(self.write(move) for move in moves),
            scores=tuple(self.standing(state)),
            ranks=tuple(self.ranks(state)),
        )

    def context(self, state: S) -> str | None:
        return None

    def bidders(self, state: S) -> frozenset[Seat]:
        return frozenset()

    def default_move(self, state: S, seat: Seat) -> M:
        return next(iter(self.moves(state)))

    def forced_move(self, state: S) -> tuple[Seat, M] | None:
        turn = self.turn(state)
        only = [] if turn is None else list(islice(self.moves(state), 2))
        return (turn, only[0]) if turn is not None and len(only) == 1 else None

    def resample(self, state: S, seat: Seat | None, chance: Chance) -> S:
        self._expect_open()
        return state

    def parse(self, state: S, seat: Seat, text: str) -> M:
        """Read a move that is legal now: written in full, or a beginning that no other legal move has."""
        refuse_long(text)
        typed = lower(fold(text)).removesuffix(".").strip()
        if not typed:
            raise InvalidMove("empty", "There is no move yet. Choose one, or write it as the examples show.")
        moves = {lower(self.write(move)): move for move in self.moves(state)}
        meant = [typed] if typed in moves else [known for known in moves if known.startswith(typed)]
        if len(meant) > 1:
            raise AmbiguousMove(
                "ambiguous-word",
                "“{word}” could mean {candidates}. Write the word in full.",
                word=echo(typed),
                candidates=", ".join(meant[:5]),
            )
        if not meant:
            raise InvalidMove("unknown-word", "“{word}” is not understood.", word=echo(typed))
        return moves[meant[0]]

    def steps(self, state: S, seat: Seat, partial: str) -> Sequence[Choice]:
        if partial:
            self.parse(state, seat, partial)
            return ()
        texts = [self.write(move) for move in self.legal_moves(state, seat)]
        return [Choice(text, Message("{move}", {"move": text}), complete=True) for text in texts]

    def random_move(self, state: S, seat: Seat, chance: Chance) -> M:
        moves = list(self.moves(state))
        return moves[chance.below(len(moves))]

    def _expect_open(self) -> None:
        if self.meta.has_hidden:
            raise NotImplementedError("a game that hides something writes its own `view` and `resample`")


class SimpleWords:
    """Words for `SimpleView`."""

    def first_turn(self, tr: Translator) -> str:
        """See `Words.first_turn`."""
        raise NotImplementedError

    def name_verb(self, verb: str, tr: Translator) -> str:
        """See `Words.name_verb`. The word itself, if the package translates no other."""
        return tr.gettext(verb)

    def list_position(self, state: Any, tr: Translator) -> Iterable[str]:
        """The board in lines of at most 72 columns, none of which reads as a move."""
        raise NotImplementedError

    def describe(self, event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
        if event.kind == "over":
            return name_winners(_numbers(event.data["ranks"]), _numbers(event.data["scores"]), tr, names)
        assert event.seat is not None
        sentence = (
            tr.gettext("You play: {move}.") if event.seat == you else tr.gettext("{name} plays: {move}.")
        )
        return sentence.format(name=names[event.seat], move=str(event.data["move"]))

    def describe_alike(
        self, events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
    ) -> str | None:
        return None

    def prompt(self, view: Any, tr: Translator, names: Sequence[str]) -> str:
        if view.turn is None:
            return wrap(name_winners(view.ranks, view.scores, tr, names))
        if view.turn != view.reader:
            return wrap(tr.gettext("Waiting for {name}.").format(name=person(names, view.turn)))
        return ask(tr.gettext("It is your turn."), tr, view.moves[:MOST_SHOWN])

    def draw(self, view: Any, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
        now = asked or Asked(frozenset() if view.turn is None else frozenset((view.turn,)))
        lines = say_asked(asked, tr, names) or [wrap(self.say_where_it_stands(view, tr, names))]
        lines += ["", *self.list_position(view.state, tr), ""]
        for seat, score in enumerate(view.scores):
            points = tr.ngettext("{score} point", "{score} points", score).format(score=score)
            lines.append(list_line(head(person(names, seat), tr), [points, *note_asked(now, seat, tr)]))
        return "\n".join(lines)

    def say_where_it_stands(self, view: Any, tr: Translator, names: Sequence[str]) -> str:
        """The first line of a drawing."""
        if view.turn is None:
            return tr.gettext("The match is over.")
        return tr.gettext("It is {name}'s turn.").format(name=names[view.turn])


@dataclass(frozen=True, slots=True)
class Panel:
    """One seat on the picture: its letter, name and score, and whether it is to act."""

    letter: str
    name: str
    score: int
    is_turn: bool


def list_panels(view: Any, names: Sequence[str], asked: Asked | None = None) -> list[Panel]:
    """List the seats of a `SimpleView` for a picture, in seat order."""
    acting = asked.seats if asked else {view.turn}
    return [
        Panel(seat_letter(seat), name, view.scores[seat], seat in acting) for seat, name in enumerate(names)
    ]


def _numbers(data: Any) -> list[int]:
    """Return scores or ranks from the data of an event, which has been through JSON."""
    return [int(number) for number in data]
