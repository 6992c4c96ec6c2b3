"""Tutorials: positions of recorded matches with one thing to do in each, judged by the rules themselves.

A package that has one keeps it in its folder `tutorial`: `tutorial.toml` in English, `tutorial.<language>.toml` with
the same sentences in another language, and the records that lead to the positions. `docs/adding-a-game.md` describes
the files.

>>> from games.registry import game
>>> step = read_tutorial(game("gem")).steps[0]
>>> verdict = judge(step, "pass")
>>> verdict.is_right, verdict.rule, verdict.refusal.code
(False, 8, 'oya-must-bid')
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Any

from games import plies
from games.chance import NO_SEED
from games.contract import Event, Game, GameError, Seat, seat_letter
from games.picture import Box
from games.reading import LONGEST_MOVE, fold, lower
from games.record import MoveLine, Record, read_record
from games.replay import Replay, begin, play_line

FOLDER = "tutorial"
LEAST_STEPS, MOST_STEPS = 5, 8
"""A newcomer's patience: as few as teach a game, no more than fit into a quarter of an hour."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,29}")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_ITEM = re.compile(r"(\d{1,3})\.\s+(.*)")
_MARKS = re.compile(r"\*\*|[*`]")
_BLANKS = re.compile(r"\s+", re.ASCII)
"""Blanks and line breaks; not the no-break space that French has before a colon."""


class BadTutorial(GameError):
    """The files of a tutorial cannot be read, or do not fit each other or the rules."""

    kind = "unreadable"


@dataclass(frozen=True, slots=True)
class WrongTry:
    """The answer to some wrong tries, with the number of the paragraph of the rules."""

    tries: tuple[str, ...]
    """Patterns as in `Step.right`; empty for what is said to every other legal move."""
    code: str
    """The refusal that the tries meet with; empty for legal moves."""
    text: str
    rule: int


@dataclass(frozen=True)
class Step:
    """One position, one thing to do in it, and what is said to every try."""

    name: str
    """Names the step for good, in addresses and translations: small letters, digits, hyphens."""
    title: str
    text: str
    task: str
    right: tuple[str, ...]
    """The right moves as patterns of canonical notation; `*` stands for any text: `take D3 pay *`."""
    why: str
    rule: int
    """The paragraph of the rules that the step is about."""
    shown_at: int
    """The paragraph in whose part of the rules its position is an example; mostly `rule`."""
    wrong: tuple[WrongTry, ...]
    otherwise: WrongTry
    game: Game
    record: Record
    ply: int
    seat: Seat

    @property
    def sentences(self) -> list[str]:
        """All that may be said to a try."""
        return [self.why, self.otherwise.text, *(wrong.text for wrong in self.wrong)]

    @cached_property
    def reached(self) -> Replay:
        """The position, replayed from the record. Raises GameError for a record that does not fit the rules."""
        current = begin(self.record, self.game)
        for line in self.record.moves[: self.ply]:
            current = play_line(current, line, self.seed)
        return current

    @property
    def seed(self) -> str:
        return self.record.seed or NO_SEED

    @property
    def view(self) -> Any:
        """The position as the learner sees it."""
        return self.game.rules.view(self.reached.state, self.seat)

    @property
    def last_moves(self) -> dict[Seat, str]:
        """The last move of each seat, in notation."""
        return {line.seat: line.text for line in self._lines}

    def list_moves(self) -> list[str]:
        """The moves that lead here, as records write them: `A bid 3`."""
        return [f"{seat_letter(line.seat)} {line.text}" for line in self._lines]

    @property
    def _lines(self) -> list[MoveLine]:
        return [line for line in self.record.moves[: self.ply] if isinstance(line, MoveLine)]

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names. The learner has one too: sentences of the game name whoever is to act."""
        return self.record.players


@dataclass(frozen=True, slots=True)
class Tutorial:
    """The tutorial of one game in one language."""

    game: Game
    language: str
    welcome: str
    farewell: str
    steps: tuple[Step, ...]

    def find(self, name: str) -> Step | None:
        return next((step for step in self.steps if step.name == name), None)

    def number(self, step: Step) -> int:
        """The place of the step, from 1."""
        return 1 + self.steps.index(step)

    def after(self, step: Step) -> Step | None:
        """The step that follows; None after the last."""
        return next(iter(self.steps[self.number(step) :]), None)

    def quote(self, rule: int) -> str:
        """The paragraph of the rules in the language of the tutorial, without the marks of Markdown."""
        return read_paragraphs(self.game.read_rules(self.language)).get(rule, "")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a try: whether it is right, the sentence, and the paragraph of the rules to read."""

    is_right: bool
    text: str
    rule: int
    move: str
    """The move in notation; what was typed if it is none."""
    refusal: GameError | None = None
    """Why the game does not allow the move; None for a legal one, right or wrong."""
    events: tuple[Event, ...] = ()
    """The consequences of a legal move."""
    state: Any = None
    """The position after a legal move."""

    @property
    def is_no_move(self) -> bool:
        """True if the game cannot read the try, and the step says nothing of its own to it."""
        return not self.text and self.refusal is not None and self.refusal.kind == "invalid"


def judge(step: Step, text: str) -> Verdict:
    """Try the move in the position of the step, by the rules, and say whether it is what the step asks for."""
    rules, state = step.game.rules, step.reached.state
    shown, refusal, played = lower(fold(text))[:LONGEST_MOVE], None, None
    try:
        move = rules.parse(state, step.seat, text)
        shown = rules.write(move)
        played = plies.play(rules, state, step.seat, move, step.seed, step.ply + 1)
    except GameError as error:
        refusal = error
    code = refusal.code if refusal else ""
    found = next((wrong for wrong in step.wrong if wrong.code == code and _matches(wrong.tries, shown)), None)
    if played is None:
        text, rule = (found.text, found.rule) if found else ("", step.rule)
        return Verdict(False, text, rule, shown, refusal)
    events = tuple(event for event in played.events if event.visible_to(step.seat))
    if _matches(step.right, shown):
        return Verdict(True, step.why, step.rule, shown, None, events, played.state)
    found = found or step.otherwise
    return Verdict(False, found.text, found.rule, shown, None, events, played.state)


def _matches(patterns: Sequence[str], move: str) -> bool:
    return any(fnmatchcase(move, pattern) for pattern in patterns)


def find_marks(step: Step, board: Any) -> list[tuple[Seat, Sequence[Box]]]:
    """Find where the last moves before the step are seen on its picture."""
    found = [(seat, step.game.layout.find_marks(board, seat, text)) for seat, text in step.last_moves.items()]
    return [(seat, boxes) for seat, boxes in found if boxes]


def read_paragraphs(markdown: str) -> dict[int, str]:
    """Read the numbered paragraphs of a rules page, without tables and marks.

    >>> read_paragraphs("1. Every player *bids*\\n   once.\\n\\n   | a |\\n2. Or passes.\\n\\nMore.")
    {1: 'Every player bids once.', 2: 'Or passes.'}
    """
    found: dict[int, list[str]] = {}
    number = 0
    for line in markdown.splitlines():
        item = _ITEM.fullmatch(line)
        if item:
            number = int(item[1])
            found[number] = [item[2]]
        elif number and line.startswith(" ") and not line.lstrip().startswith("|"):
            found[number].append(line.strip())
        elif not line.startswith(" "):
            number = 0
    return {place: _MARKS.sub("", " ".join(lines)) for place, lines in found.items()}


# Reading the files


def has_tutorial(game: Game) -> bool:
    """Return whether the package brings a tutorial; without one a host shows the rules."""
    return (game.folder / FOLDER / "tutorial.toml").is_file()


def read_tutorial(game: Game, language: str = "en") -> Tutorial | None:
    """Read the tutorial in this language, or in English where it is not translated; None without one.

    Raises BadTutorial for files that cannot be read. The positions are replayed only when they are looked at.
    """
    if not has_tutorial(game):
        return None
    folder = game.folder / FOLDER
    table = _Table(_load(folder, "tutorial.toml"), "tutorial.toml")
    translated = None
    if _LANGUAGE.fullmatch(language) and (folder / f"tutorial.{language}.toml").is_file():
        name = f"tutorial.{language}.toml"
        translated = _Table(_load(folder, name), name)
    spoken = translated or table
    welcome, farewell = spoken.text("welcome"), spoken.text("farewell")
    steps = _read_steps(game, folder, table, translated)
    if translated:
        translated.expect("welcome", "farewell", *(step.name for step in steps))
    table.expect("welcome", "farewell", "steps")
    return Tutorial(game, language if translated else "en", welcome, farewell, steps)


def _load(folder: Traversable, name: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadTutorial("bad-file", "{name}: {reason}", name=name, reason=str(error)) from error


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a TOML file, whose fields are read by their types; `where` names it in errors."""

    fields: Mapping[str, Any]
    where: str

    def text(self, name: str, default: str | None = None) -> str:
        """Read a sentence; line breaks in the file mean nothing."""
        found = self.fields.get(name, default)
        if not isinstance(found, str) or not (found.strip() or found == default):
            raise self.refuse(name, "a sentence is missing")
        return _BLANKS.sub(" ", found.strip())

    def number(self, name: str) -> int:
        found = self.fields.get(name)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            raise self.refuse(name, "a number is missing")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        found = self.fields.get(name, [])
        if not isinstance(found, list) or not all(isinstance(text, str) and text for text in found):
            raise self.refuse(name, "a list of texts is missing")
        return tuple(found)

    def tables(self, name: str) -> list[_Table]:
        found = self.fields.get(name, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise self.refuse(name, "a list of tables is missing")
        return [_Table(entry, f"{self.where} {name} {place}") for place, entry in enumerate(found, start=1)]

    def table(self, name: str) -> _Table:
        found = self.fields.get(name)
        if not isinstance(found, dict):
            raise self.refuse(name, "a table is missing")
        return _Table(found, f"{self.where} {name}")

    def expect(self, *names: str) -> None:
        """Raise BadTutorial for a field that nobody reads, such as a misspelt one."""
        for name in sorted(self.fields.keys() - set(names)):
            raise self.refuse(name, "nothing is known by this name")

    def refuse(self, name: str, reason: str) -> BadTutorial:
        return BadTutorial(
            "bad-tutorial", "{where}, {name}: {reason}.", where=self.where, name=name, reason=reason
        )


_WRITTEN = ("title", "text", "task", "why", "otherwise")
"""The sentences of a step, which a translation has too; `wrong` beside them."""


def _read_steps(
    game: Game, folder: Traversable, table: _Table, translated: _Table | None
) -> tuple[Step, ...]:
    rows = table.tables("steps")
    if not LEAST_STEPS <= len(rows) <= MOST_STEPS:
        raise table.refuse("steps", f"a tutorial has {LEAST_STEPS} to {MOST_STEPS} steps")
    records: dict[str, Record] = {}
    steps: list[Step] = []
    for row in rows:
        name = row.text("name")
        if not _NAME.fullmatch(name) or any(step.name == name for step in steps):
            raise row.refuse("name", "a name has small letters, digits and hyphens, and stands once")
        file = row.text("record")
        if file not in records:
            records[file] = _read_record(game, folder, file)
        steps.append(_read_step(game, records[file], row, translated.table(name) if translated else None))
    return tuple(steps)


def _read_record(game: Game, folder: Traversable, file: str) -> Record:
    if "/" in file or "\\" in file:
        raise BadTutorial("bad-file", "{name}: a record lies beside the tutorial.", name=file)
    try:
        record = read_record((folder / file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadTutorial("bad-file", "{name}: {reason}", name=file, reason=str(error)) from error
    if record.game != game.rules.meta.slug:
        raise BadTutorial("bad-file", "{name}: this is a record of another game.", name=file)
    return record


def _read_step(game: Game, record: Record, row: _Table, translated: _Table | None) -> Step:
    spoken = translated or row
    tries = row.tables("wrong")
    said = [entry.text("text") for entry in tries] if translated is None else translated.texts("wrong")
    if len(said) != len(tries):
        raise spoken.refuse("wrong", f"{len(tries)} sentences are wanted")
    if translated:
        translated.expect(*_WRITTEN, "wrong")
    row.expect(
        *_WRITTEN, "wrong", "name", "record", "ply", "seat", "right", "rule", "otherwise-rule", "shown-at"
    )
    title, text, task, why, otherwise = map(spoken.text, _WRITTEN)
    rule, ply = row.number("rule"), row.number("ply")
    if ply > len(record.moves):
        raise row.refuse("ply", f"the record has {len(record.moves)} plies")
    return Step(
        name=row.text("name"),
        title=title,
        text=text,
        task=task,
        right=row.texts("right"),
        why=why,
        rule=rule,
        shown_at=row.number("shown-at") if "shown-at" in row.fields else rule,
        wrong=tuple(
            _read_wrong(entry, _BLANKS.sub(" ", words.strip()), rule)
            for entry, words in zip(tries, said, strict=True)
        ),
        otherwise=WrongTry(
            (), "", otherwise, row.number("otherwise-rule") if "otherwise-rule" in row.fields else rule
        ),
        game=game,
        record=record,
        ply=ply,
        seat=_read_seat(row, record),
    )


def _read_wrong(entry: _Table, words: str, rule: int) -> WrongTry:
    entry.expect("tries", "code", "text", "rule")
    tries = entry.texts("tries")
    if not tries:
        raise entry.refuse("tries", "a list of texts is missing")
    return WrongTry(
        tries, entry.text("code", ""), words, entry.number("rule") if "rule" in entry.fields else rule
    )


def _read_seat(row: _Table, record: Record) -> Seat:
    letter = row.text("seat", "A")
    seat = ord(letter[0]) - ord("A")
    if len(letter) != 1 or not 0 <= seat < len(record.players):
        raise row.refuse("seat", "no player of the record has this seat")
    return seat
