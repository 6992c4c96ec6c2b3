"""The contract that a game fulfils, and the few value types that every game and every host share.

A game is a set of pure functions over frozen values. A host (the server, the terminal, a test) never
looks inside a state: it hands states back to the game and shows people what `view`, `words` and `steps` say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from gettext import NullTranslations
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, cast

from games.chance import Chance
from games.picture import Box, Explanation, Gesture

if TYPE_CHECKING:
    from games.phrases.described import Described

Seat: TypeAlias = int
"""0-based place at the table; `A`, `B`, `C` … in notation (`seat_letter`)."""

Json: TypeAlias = "str | int | bool | Sequence[Json] | Mapping[str, Json] | None"

Options: TypeAlias = Mapping[str, str]
"""Options of one match by name, defaults filled in; `ages` too (`31 28`, in seat order) when a record has `Ages:`."""

S = TypeVar("S")
M = TypeVar("M")
V_co = TypeVar("V_co", covariant=True)
S_co = TypeVar("S_co", covariant=True)


def seat_letter(seat: Seat) -> str:
    """The seat as notation writes it.

    >>> seat_letter(0), seat_letter(3)
    ('A', 'D')
    """
    return chr(ord("A") + seat)


class Translator(Protocol):
    """The part of `gettext.NullTranslations` that words need; Django's translation module has it too."""

    def gettext(self, message: str, /) -> str: ...
    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...


LONGEST_CALL = 5.0
"""Seconds that one call of a game may take: a server interrupts it then, and stops the match."""

MOST_SEATS = 26
"""The most seats of a match, as every seat has a letter."""

MOST_POINTS = 32_767
"""The most points that a seat can have, and the most below zero: a server keeps scores in 16 bits."""

ENGLISH: Translator = NullTranslations()
"""Leaves every sentence as it stands in the code."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence for people that is not translated yet: a `str.format` template and its parameters.

    `words`: those parameters that are to be translated themselves.
    """

    template: str
    params: Mapping[str, Json] = field(default_factory=dict)
    words: Mapping[str, Message] = field(default_factory=dict)

    def text(self, tr: Translator) -> str:
        words = {name: word.text(tr) for name, word in self.words.items()}
        return tr.gettext(self.template).format(**self.params, **words)


class GameError(Exception):
    """A move text or a move that cannot be played.

    `code` is stable and machine-readable (`too-high`); `message` says what is wrong and what to do next. A parameter
    that is a message itself is translated with it.
    """

    kind = "invalid"

    def __init__(self, code: str, template: str, /, **params: Json | Message) -> None:
        self.code = code
        words = {name: value for name, value in params.items() if isinstance(value, Message)}
        plain = {name: value for name, value in params.items() if not isinstance(value, Message)}
        self.message = Message(template, plain, words)
        super().__init__(code, template, params)

    def __str__(self) -> str:
        return f"{self.kind} ({self.code}): {self.message.text(ENGLISH)}"


class InvalidMove(GameError):
    """The text is no move of this game."""


class AmbiguousMove(GameError):
    """The text could mean several moves; the message names them."""

    kind = "ambiguous"


class IllegalMove(GameError):
    """A well-formed move that the rules do not allow now."""

    kind = "illegal"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: its allowed values, the first is the default."""

    name: str
    values: tuple[str, ...]
    """Words as a record has them; a host shows their translations, where the package has any."""
    description: str
    """A host writes the value behind it: `How bids are made: one after the other`."""
    per_seat: bool = False
    """A value has a letter for each seat; `values` are those of a full table, a smaller one takes beginnings."""

    def __post_init__(self) -> None:
        """Raise ValueError for what a record could not write as `name=value`."""
        if not self.values or any(not word or set(word) & set(" =,") for word in (self.name, *self.values)):
            raise ValueError(f"Option {self.name!r} needs a name and values without blanks, = and commas")

    def values_for(self, seats: int) -> tuple[str, ...]:
        """The values allowed at a table of this size; the first is the default."""
        return tuple(dict.fromkeys(value[:seats] for value in self.values)) if self.per_seat else self.values


FIRST_SEAT = Option("first", ("A",), "seat A begins, instead of a seat drawn with the deal")
"""An option of every game, which a record names only where it is chosen: a schedule has fixed the turn order."""


RESERVED_OPTIONS = (FIRST_SEAT.name, "ages")
"""Names that no option of a game may have: `Options` holds the players' ages too."""
WEIGHTS = ("light", "medium", "heavy", "")


@dataclass(frozen=True, slots=True)
class GameMeta:
    """Facts about a game that hold for all its matches: names, seats, options."""

    slug: str
    title: str
    designer: str
    year: int | None
    version: int
    """Rules version; raised by every change after which an old record would play differently."""
    min_seats: int
    max_seats: int
    max_plies: int
    """The most plies that a match can have, whatever is played; forced moves count, changed sealed picks do not."""
    options: tuple[Option, ...] = ()
    reconstructed: tuple[Message, ...] = ()
    """Components that were only pictures in the rule sheet, each a short noun phrase for the rules page."""
    contests: tuple[Message, ...] = ()
    """The names that `Rules.context` gives to contests, with `{}` for each number, so that they can be translated."""
    summary: Message | None = None
    """The game in half a sentence, for lists: `An auction in six days`."""
    usual_moves: int = 0
    """About how many moves a player makes in a usual match; 0: not known."""
    weight: str = ""
    """How much there is to learn and to think about, one of `WEIGHTS`; empty: not known."""
    has_ages: bool = False
    """The players' ages break ties, and a record may name them in `Ages:`."""
    has_sealed_picks: bool = False
    """True if the seats decide at once, face down until all have: each pick is a sealed order of its own."""
    has_hidden: bool = False
    """True if some seat cannot know the whole position: hands, piles, picks that lie face down."""

    def __post_init__(self) -> None:
        """Raise ValueError for facts that no host could use."""
        names = [option.name for option in self.options]
        if len({*names, *RESERVED_OPTIONS}) < len(names) + len(RESERVED_OPTIONS):
            raise ValueError(
                f"options: each needs a name of its own, other than {', '.join(RESERVED_OPTIONS)}"
            )
        for name, words in (("title", self.title), ("designer", self.designer)):
            if not words.strip() or not words.isprintable():
                raise ValueError(f"{name}: one line of text, as it stands in the subjects of mails")
        if not 1 <= self.min_seats <= self.max_seats <= MOST_SEATS:
            raise ValueError(
                f"seats: 1 <= min_seats <= max_seats <= {MOST_SEATS}, as every seat has a letter"
            )
        if self.weight not in WEIGHTS:
            raise ValueError(f"weight: {', '.join(filter(None, WEIGHTS))}, or empty where it is not known")


@dataclass(frozen=True, slots=True)
class Event:
    """One consequence of a move, as data; `words.describe` makes the sentence.

    `audience` is None when everybody may know, else the seats that may.
    """

    kind: str
    seat: Seat | None = None
    data: Mapping[str, Json] = field(default_factory=dict)
    audience: frozenset[Seat] | None = None

    def visible_to(self, seat: Seat | None) -> bool:
        """Return whether this seat (None: a spectator) may read the event."""
        return self.audience is None or (seat is not None and seat in self.audience)


@dataclass(frozen=True, slots=True)
class Step(Generic[S_co]):
    """The result of `apply`: the next state and the events.

    `sealed`: the move lies face down. Only its player may see its text until a later step that is not sealed.
    """

    state: S_co
    events: tuple[Event, ...] = ()
    sealed: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a finished match: one score and one rank per seat; 1 is best, equal seats share (1 1 3)."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]


def rank_seats(keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Rank the seats by their keys: points first, then tie criteria (more is better).

    1 is best; equal keys share a rank, and the next one is skipped.

    >>> rank_seats([(21, 4), (25, 3), (25, 3)])
    (3, 1, 1)
    """
    return tuple(1 + sum(other > key for other in keys) for key in keys)


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to go on building a move.

    `text` is the whole move text so far, this choice included; `complete` says that it is a legal move as it
    stands (there may be further choices behind it, as with several steps in one turn).
    """

    text: str
    label: Message
    complete: bool


class Rules(Protocol[S, M, V_co]):
    """A game. Every function is pure; illegal input raises `GameError` and leaves the old state untouched."""

    meta: GameMeta
    state_type: type[S]
    """Frozen dataclass of plain data (int, str, bool, None, tuple, frozenset, enum, nested frozen dataclass):
    the server's codec is generated from it."""

    def deal(self, *, seats: int, options: Options, chance: Chance) -> S:
        """The first position. `chance` has the label `deal`."""
        ...

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> S:
        """The first position from a record's `Deal:` and `First:` lines; raises InvalidMove."""
        ...

    def write_deal(self, state: S) -> str:
        """The `Deal:` line of a *first* position (as `deal` returns it)."""
        ...

    def waiting_on(self, state: S) -> frozenset[Seat]:
        """The seats the match waits for; empty when over, several in a simultaneous decision."""
        ...

    def legal_moves(self, state: S, seat: Seat) -> Iterator[M]:
        """Yield the legal moves of this seat lazily, in canonical order; none for a seat that may do nothing.

        A seat that is not waited for, but may still change its sealed pick, has moves too.
        """
        ...

    def apply(self, state: S, seat: Seat, move: M, chance: Chance) -> Step[S]:
        """Play the move and return the step. Checks everything itself; raises IllegalMove."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """The result of a finished match; None while it runs."""
        ...

    def standing(self, state: S) -> Sequence[int]:
        """The scores if it ended now (*Standing* in the rule file), by what everybody may know until it has ended.

        Whole numbers, at most `MOST_POINTS`. Points that lie face down count from the end on.
        """
        ...

    def ranks(self, state: S) -> Sequence[int]:
        """The ranks if it ended now, by the game's tie rules."""
        ...

    def view(self, state: S, seat: Seat | None) -> V_co:
        """Everything this seat may know (None: a spectator), built up field by field."""
        ...

    def context(self, state: S) -> str | None:
        """The present contest (`day 2 auction 3`): life span of a plan, unit of sealed pace.

        One of `GameMeta.contests` with its numbers; it stays the same until all sealed orders of its bidders are in.
        """
        ...

    def bidders(self, state: S) -> frozenset[Seat]:
        """The seats whose sealed orders the present contest collects.

        Empty while the decision at hand is asked of its seat as usual, even inside a contest (a winner's
        payment).
        """
        ...

    def default_move(self, state: S, seat: Seat) -> M:
        """The move that the server plays when orders or time run out. Always legal."""
        ...

    def forced_move(self, state: S) -> tuple[Seat, M] | None:
        """The only move that is possible now, with its seat; None when there is a choice."""
        ...

    def resample(self, state: S, seat: Seat | None, chance: Chance) -> S:
        """Redraw, uniformly, what this seat cannot know; its view stays equal.

        The result follows from what the seat knows and the chance alone: sort what is hidden before shuffling it.
        """
        ...

    def write(self, move: M) -> str:
        """Canonical text: one line, context-free."""
        ...

    def parse(self, state: S, seat: Seat, text: str) -> M:
        """Read one move leniently, also when the seat is not to act (plans, sealed orders).

        Raises InvalidMove or AmbiguousMove, never IllegalMove for what `apply` checks.
        """
        ...

    def steps(self, state: S, seat: Seat, partial: str) -> Sequence[Choice]:
        """List the choices with which a move can begin (`partial` empty) or go on; empty when nothing can be added.

        `partial` is the `text` of a choice given before. Raises GameError for one that cannot be read.
        """
        ...

    def random_move(self, state: S, seat: Seat, chance: Chance) -> M:
        """Any legal move, without listing all."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """The seats for which a table waits, as anybody may know it; for drawings.

    A host passes it where the position alone does not tell: at sealed pace, and when a match was ended before the
    rules end it. Then the table waits for nobody.
    """

    seats: frozenset[Seat] = frozenset()
    is_sealed: bool = False
    """True while a contest collects sealed orders: those of `seats` are missing, and it is nobody's turn."""
    ordered: frozenset[Seat] = frozenset()
    """The seats whose sealed orders are in."""
    resigned: Seat | None = None
    """The seat whose resignation ended the match before the rules end it."""

    @classmethod
    def in_turn(cls, turn: Seat, *, is_over: bool) -> Asked:
        """The table waits for this one seat, or for nobody when the match is over."""
        return cls() if is_over else cls(frozenset((turn,)))

    @property
    def is_over(self) -> bool:
        """True if the table waits for nobody any more."""
        return not self.seats and not self.is_sealed


class Words(Protocol):
    """The sentences of a game: plain text for logs, mails, terminals and screen readers.

    `names` are the players' names in seat order. Mostly a module `words.py` with these functions.
    """

    def describe(self, event: Event, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
        """Describe the event in one line without a line break; the host wraps it.

        `you`: the reader's own seat, which is addressed ("You bid 3."); None: all are named.
        """
        ...

    def describe_alike(
        self, events: Sequence[Event], tr: Translator, names: Sequence[str], you: Seat | None = None
    ) -> str | None:
        """Describe in one sentence what several seats did alike ("Ana and Ben pass."); None if there is none for it.

        The events are of one kind, each of another seat.
        """
        ...

    def prompt(self, view: Any, tr: Translator, names: Sequence[str]) -> str:
        """Ask the reader of this view for a move, with what to write; else say for whom the match waits.

        Below the moves it may explain how they are written (`prose.ask`); pages show that apart. Lines of at most 72
        columns; a move never stands alone on its line, for a quoted mail would play it.
        """
        ...

    def first_turn(self, tr: Translator) -> str:
        """Introduce the game to somebody who has never played it, before the first move.

        Two or three sentences without a line break and without a move; the host wraps them.
        """
        ...

    def name_verb(self, verb: str, tr: Translator) -> str:
        """Name what a move does whose first word is `verb`: `bid`, as in "Your turn: bid or pass"."""
        ...

    def draw(self, view: Any, tr: Translator, names: Sequence[str], asked: Asked | None = None) -> str:
        """Draw the board in lines of at most 72 columns, complete without colour or picture.

        The first line says where the match stands. `asked` None: the table waits for whoever is to act in this view.
        """
        ...


@dataclass(frozen=True, slots=True)
class Limit:
    """A number from `low` to `high` that stands for an order: `order` is its text, with `#` for the number."""

    low: int
    high: int
    order: str

    def write(self, number: int) -> str:
        return self.order.replace("#", str(number))


@dataclass(frozen=True, slots=True)
class SealedPace:
    """The additions with which the contests of the option `pace=sealed` are settled from sealed orders."""

    at_turn: Callable[[Any, Seat], Any]
    """Position of a contest and bidder → the contest as this bidder will meet it at the soonest and the cheapest,
    so that what is legal there is what an order can say; None when it has nothing to do in it any more."""
    prompt: Callable[[Any, Translator, Sequence[str]], str]
    """Like `Words.prompt`: asks the reader of a view for an order for the present contest."""
    read: Callable[[Any, Seat, str], Any]
    """Like `Rules.parse`, for an order: settles nothing that depends on what the others do."""
    ask_limit: Callable[[Any, Seat], Limit | None] | None = None
    """Position, chooser → the number that makes an order for the whole contest; None: a single move does."""
    read_bid: Callable[[str], int | None] | None = None
    """A move or an alternative of an order, in notation → how much it adds to the seat's bid, or its limit; None: it is
    no bid. With it a host tells what all have bid in a contest that is settled."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game as its package offers it: rules and words; the other fields are for tests, bots and plans."""

    package: str
    """The import name of the package; in it lie `layout.py`, `RULES.md`, `templates/`, `locale/`, `records/` too."""
    rules: Rules[Any, Any, Any]
    words: Words
    list_pieces: Callable[[Any], Counter[str]] | None = None
    """Every component of a position, of which none may appear or vanish while a match is played; None where there is
    nothing to count."""
    sealed_pace: SealedPace | None = None
    read_later: Callable[[Any, Seat, str], Any] | None = None
    """Reads a move that is meant for later, where `parse` would already resolve it against the present position."""
    spell_out: Callable[[Any, Seat, str], Sequence[str]] | None = None
    """Expands one typed alternative into the alternatives in notation that it is short for; mostly itself.
    For what is typed only: records hold notation."""
    foresee: Callable[[Any, Seat, Any, bool], IllegalMove | None] | None = None
    """State, seat, move and whether it is the seat's next move there → why it cannot become legal, whatever the
    others do, before the contest is over (where there is none: at the seat's next turn); None when it may."""
    evaluate: Callable[[Any, Seat], float] | None = None
    """The points by which the seat seems to be ahead: a cheap guess for cut-off playouts, and for an easy bot without
    a policy."""
    policy: Callable[[Any, Seat, Chance], Any] | None = None
    """A quick player (`policy.py`): a position with a seat that is to act, and chance → a legal move. It looks only at
    what the seat may know. It is the easy bot, but for lapses, and everybody in the others' playouts."""
    deep_policy: Callable[[Any, Seat, Chance], Any] | None = None
    """The quick player as whom the hard bot imagines everybody, itself too, after the move that it looks for: people do
    not play just as `policy` does. None: `policy`."""
    suggest: Callable[[Any, Seat], Sequence[Any]] | None = None
    """Position, seat → the legal moves that the normal and the hard bot compare, the most promising first. Empty when
    there is nothing to do. None: all legal moves, or a sample of them. The policy's move is always compared too."""
    shortlist: int | None = None
    """So many moves, the policy's, then the first of `suggest` or those that `evaluate` finds best, are compared;
    None: all of them."""
    simulations: int = 100
    """In how many simulations the normal bot compares them at a table of two, where a move may take 0.5 s of CPU in the
    mean; at larger tables it makes fewer in proportion."""
    deep_simulations: int = 400
    """Like `simulations`, for the hard bot and its 2 s."""
    tree_depth: int = 12
    """The hard bot's tree follows so many plies below the moves that it compares. 0: it keeps none, best where so
    much is drawn between two turns that no position comes twice."""
    is_open: Callable[[Any], bool] | None = None
    """True for a position in which nothing is hidden from anybody and nothing is drawn any more; the hard bot then
    searches a tree of the moves of all players, whatever `tree_depth` is. None: there is no such position."""
    rank_moves: Callable[[Any, Seat], Sequence[Any]] | None = None
    """An open position, seat → the moves to try in that tree, the most promising first; quick, as it is asked in
    nearly every simulation. None: those that are compared elsewhere."""
    horizon: int | None = None
    """After how many plies a playout is cut off and judged, but not before every other seat has had one; None: it is
    played to the end."""
    strays: int | None = None
    """One move in so many of a playout is a random one, lest all of them go the same way; None: none is."""
    stage: Callable[[Any], int] | None = None
    """The part of the match (a round, say) at whose end a playout is judged, if the horizon does not end it before."""
    explain: Callable[[Any, Translator], Iterator[Explanation]] | None = None
    """A board of `layout` → what each piece on it is, for readers who ask; None: nothing can be asked."""
    describe: Callable[[Any, Seat], Iterable[Described]] | None = None
    """Position, seat → its legal moves with what players may say of them; None: they are said in notation alone."""

    @property
    def layout(self) -> Layout:
        """The package's module `layout`, imported only when a board is drawn: many processes never draw one."""
        return cast(Layout, import_module(f"{self.package}.layout"))

    @property
    def folder(self) -> Traversable:
        """The folder of the package's files."""
        return resources.files(self.package)

    def read_rules(self, language: str = "en") -> str:
        """The rules for people, in Markdown: in this language if the package has them in it, else in English."""
        translated = self.folder / f"RULES.{language}.md"
        return (translated if translated.is_file() else self.folder / "RULES.md").read_text(encoding="utf-8")


class Layout(Protocol):
    """A package's module `layout`, which places everything on the board picture; the SVG template only draws."""

    def layout(self, view: Any, names: Sequence[str], asked: Asked | None = None) -> Any:
        """Return a frozen dataclass with `width`, `height` (user units) and the pieces; `asked` as in `Words.draw`."""
        ...

    def find_gesture(self, board: Any, begun: str, text: str) -> Gesture | None:
        """Find how the choice `text`, which goes on from `begun`, is made on this picture.

        None: it is no place there, and a host offers a button. Where several choices are made in the same way, each
        touch of the place goes on to the next of them, as if a piece were turned.
        """
        ...

    def find_marks(self, board: Any, seat: Seat, text: str) -> Sequence[Box]:
        """Find where the last move of this seat, in notation, is seen on this picture; empty if nowhere."""
        ...
