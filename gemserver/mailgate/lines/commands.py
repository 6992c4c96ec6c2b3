"""Reads the lines of a reply as typed values: moves to be tried, commands, and unread lines.

Notation: *Reading a line* and *Commands*. Nothing here knows a game: a line whose first word is no command is a
`MoveLine`, and the game's own reader says whether it is one, so that greetings and sign-offs end as "not read" and
never as a guess. A command counts only if its word is written in full and followed by exactly what it takes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TypeAlias

from games.contract import Json, Message
from games.phrases.lines import PLEASE, is_courtesy
from games.phrases.phrasebook import fold_words
from games.reading import echo, fold
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.lines.command_words import (
    ASKED_OF_OTHERS,
    BEGIN_PHRASES,
    BLOCKS,
    COMMAND_WORDS,
    EACH_ALONE,
    KEPT_AS_TYPED,
    NUMBER,
    USAGE,
    has_text,
    takes,
)
from gemserver.mailgate.lines.short_words import split_polite
from gemserver.mailgate.lines.wrapping import (
    UNFINISHED,
    WIDEST_WRAPPED,
    continues,
    has_no_room,
    is_rest_of_text,
    is_wrapped,
    join_plan,
)
from gemserver.mailgate.match_codes import OWN_TAG, split_match
from gemserver.mailgate.reading.sentences import runs_on, stands_alone
from gemserver.mailgate.reading.text_lines import MAX_LINE, bare, is_quoted, split_lines, spoken
from gemserver.mailgate.reading.texts import TEXTS, is_end, may_be_prose

MAX_COMMANDS = 50
MAX_READ_LINES = 200
MAX_MOVE = 2000
"""Characters of one move, including its continuation lines."""


@dataclass(frozen=True, slots=True)
class MoveLine:
    """A text that is a move if the game can read it.

    `prompt_ply` is the number behind `#`; `match` the code before the colon (`M17`), for answers to a digest; `preview`
    asks for the effect of the move. `runs_on`: the line above ends no sentence, so that below prose this line is the
    rest of that sentence and no move. `stands_alone`: neither the line above, nor that below, nor what stands beside it
    behind a semicolon belongs to its sentence, so that it may be read as people speak.
    """

    text: str
    prompt_ply: int | None = None
    match: str | None = None
    preview: bool = False
    runs_on: bool = field(default=False, compare=False)
    stands_alone: bool = field(default=True, compare=False)
    misused: Unread | None = field(default=None, compare=False)
    """The answer if this is no move either: it begins with the word of a command, as `leave the silver` does."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command word in lower case and its argument; the text of `say`, `note` and `plan` has line feeds.

    `match` and `runs_on` as in `MoveLine`.
    """

    name: str
    argument: str = ""
    match: str | None = None
    runs_on: bool = field(default=False, compare=False)
    wrapped: tuple[str, ...] = field(default=(), compare=False)
    """The lines below its own that are taken for the rest of its text, folded."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A text that was not read; `code` is stable, `why` says what to do instead."""

    text: str
    code: str
    why: Message


Line: TypeAlias = MoveLine | Command | Unread

_PROMPT = Pattern(rf"(?:^| )#({NUMBER})\.?$")
_SEMICOLON = Pattern(r";(?![-o^']?[)(DPp\]/|]+(?:$|[\s.,!]))")
"""Matches what separates moves, and is no smiley."""
_LINK_TARGET = Pattern(r"(?<=\S)<mailto:[^\s<>]{1,256}>", re.IGNORECASE)
_FULL_WIDTH = Pattern("[\uff01-\uff5e\ufb00-\ufb06]")
_ANSWERED = Pattern(r"\s*(?:[^\W\d_]{1,8}|\[[^\]]{1,20}\])(?:\[\d{1,3}\])?\s?[:：]")
CUT_OFF = Message(
    "This line continues the sentence above it, so it was not read. If it is meant, write it below an empty "
    "line."
)


def read_lines(text: str) -> list[Line]:
    """Read the typed text of a mail (quotes already removed) line by line; at most `MAX_COMMANDS` are read."""
    return _bounded(_Reader(text).read())


def read_subject(subject: str) -> list[Line]:
    """Read the subject as a line; nothing if it is an answer or has our tag. No account is erased by one.

    The caller does so only if the body holds no command (mail-requirements.md T7).
    """
    if OWN_TAG.search(subject[:300]) or _ANSWERED.match(subject[:300]):
        return []
    lines = read_lines(subject.replace("\n", " ")[:300])
    return [line for line in lines if not isinstance(line, Unread) and not erases(line)]


def erases(line: Line) -> bool:
    """True for `erase CODE`."""
    return isinstance(line, Command) and line.name == "erase" and bool(line.argument)


def fold_line(line: str) -> str:
    """A typed line with plain blanks, quotes and dashes, without invisible characters; case is kept.

    Full-width letters and ligatures become plain ones; other compatibility characters stay, because folding a
    superscript or a fraction would change the number.
    """
    plain = _FULL_WIDTH.sub(lambda found: unicodedata.normalize("NFKC", found.group()), line)
    return fold(bare(plain))


def is_command(line: str) -> bool:
    """True if the line begins with the word of a command."""
    return line.partition(" ")[0].lower() in COMMAND_WORDS


class _Reader:
    """Walks down the folded lines; blocks and continuation lines take several of them."""

    def __init__(self, text: str) -> None:
        self.raw = split_lines(text)
        self.lines = [fold_line(line) for line in self.raw[:MAX_READ_LINES]]
        self.at = 0
        self.text_ended = -1
        """The last line of a text that a mail program has broken."""

    def read(self) -> Iterator[Line]:
        read = takewhile(lambda pair: not _ends_reading(*pair), zip(self.raw, self.lines, strict=False))
        if _says_stop([line for _, line in read if line]):
            yield Command("unsubscribe")
            return
        while self.at < len(self.lines):
            raw, line, above = self.raw[self.at], self.lines[self.at], self._line_above()
            if _ends_reading(raw, line):
                return
            self.at += 1
            if not line:
                continue
            if is_comment(line):
                yield _unread(
                    line, "comment", "A line that begins with # is a comment; nothing in it was done."
                )
            elif _is_cut_off(above, line, is_text=self.text_ended == self.at - 2):
                yield Unread(line[:200], "cut-off", CUT_OFF)
            elif is_quoted(raw):
                yield _unread(
                    line, "quoted", "This is quoted text. Write the line again without the mark before it."
                )
            else:
                found = list(self._read_line(line, above))
                below = self._line_below()
                yield from (_marked(each, above, line, below) for each in found)
        if any(map(str.strip, self.raw[MAX_READ_LINES:])):
            yield _unread(
                self.raw[MAX_READ_LINES],
                "too-far",
                "Only the first {limit} lines of a mail are read. Send the rest in another mail.",
                limit=MAX_READ_LINES,
            )

    def _line_above(self) -> str:
        """The line directly above this one; empty if there is none, or if it is quoted."""
        at = self.at - 1
        is_apart = at < 0 or is_quoted(self.raw[at]) or is_comment(self.lines[at])
        return "" if is_apart else self.lines[at]

    def _line_below(self) -> str:
        """The line directly below what was read last; empty if there is none, or if it is no part of a sentence."""
        if self.at >= len(self.lines) or is_quoted(self.raw[self.at]) or is_comment(self.lines[self.at]):
            return ""
        line = self.lines[self.at]
        word = _without_stop(line.partition(" ")[0]).lower()
        return "" if word in COMMAND_WORDS or _is_explicit(line) else line

    def _read_line(self, line: str, above: str) -> Iterator[Line]:
        """Read the line just passed, and the lines below that belong to its text or move."""
        match, rest = split_match(line)
        rest = _without_polite(rest)
        word, _, argument = rest.partition(" ")
        name = _without_stop(word).lower() if not argument else word.lower()
        if is_explicit := name[:-1] in TEXTS and name.endswith(":") and (name != "note:" or word == name):
            word, name = word[:-1], name[:-1]
        is_prose = name in TEXTS and argument and not is_explicit and may_be_prose(word, argument, above)
        wrapped = () if is_prose or not has_text(rest) else self._take_wrapped()
        argument = " ".join([argument, *wrapped])
        if is_prose:
            yield _unread(
                line,
                "sentence",
                "“{word}” seems to begin a sentence here, so nothing was done. "
                "If you mean it, write: {word}: {words}",
                word=name,
                words=argument[:100],
            )
        elif name in BLOCKS:
            yield self._read_block(name, argument, match, wrapped)
        elif name in BEGIN_PHRASES and argument and not takes(name, _without_stop(argument)):
            yield MoveLine(rest, match=match, misused=_misused(name, line, USAGE[name][1]))
        elif name in USAGE:
            yield from _read_command(name, argument, match, line, wrapped)
        elif name == "stop":
            yield _unread(
                line,
                "not-alone",
                "“stop” counts only in a mail of its own. To end all mails write: unsubscribe",
            )
        elif name.endswith(":") and name[:-1] in COMMAND_WORDS:
            yield _misused(name[:-1], line, USAGE.get(name[:-1], ("", f"{name[:-1]} …"))[1])
        else:
            yield from _read_moves(self._whole_move(rest), match)

    def _take_wrapped(self) -> tuple[str, ...]:
        """Pass over the lines into which a mail program has broken the text just passed, and return them.

        What may be a command or a move is left where it is, to be asked about.
        """
        wrapped: list[str] = []
        while self.at < len(self.lines) and not is_quoted(self.raw[self.at]):
            line, following = self.lines[self.at - 1], self.lines[self.at]
            if is_command_line(following) or not is_rest_of_text(line, following):
                break
            wrapped.append(following)
            self.text_ended = self.at
            self.at += 1
        return tuple(wrapped)

    def _whole_move(self, first: str) -> str:
        """The move with its continuation lines; empty lines between them do not matter."""
        parts = [first]
        while True:
            following = self.at
            while following < len(self.lines) and not self.lines[following]:
                following += 1
            if following >= len(self.lines) or is_quoted(self.raw[following]):
                break
            line = self.lines[following]
            if _ends_reading(self.raw[following], line):
                break
            if not (
                continues(line, is_directly_below=following == self.at)
                or UNFINISHED.search(parts[-1])
                or (following == self.at and is_wrapped(parts, line))
            ):
                break
            parts.append(line)
            self.at = following + 1
        return " ".join(parts)

    def _read_block(self, name: str, argument: str, match: str | None, wrapped: tuple[str, ...]) -> Line:
        """Read a text that stands behind its word, or below it down to a line with `end`."""
        opened = self.at - 1 - len(wrapped)
        if name == "plan":
            asked = argument.lower().removesuffix(".")
            if asked in {"show", "clear"}:
                return Command(name, asked, match)
            if argument and argument.lower() != "always":
                return _misused(
                    name, self.lines[opened], "plan (the lines, then: end) · plan show · plan clear"
                )
        elif argument and len(self.raw[opened]) >= MAX_LINE:
            return _unread(
                echo(self.lines[opened]),
                "too-long",
                "This line is too long: a line of a mail is read up to {limit} characters. Write the text on several "
                "lines, below “{word}” alone and above a line with the word “end”.",
                limit=MAX_LINE,
                word=name,
            )
        elif argument:
            typed = _rest_of_line(self.raw[opened], name)
            rest = map(spoken, self.raw[opened + 1 : self.at])
            return Command(name, " ".join([typed, *rest]) if typed else argument, match, wrapped=wrapped)
        try:
            close = next(at for at in range(self.at, len(self.lines)) if is_end(self.lines[at]))
        except StopIteration:
            self.at = len(self.lines)
            return _unread(
                self.lines[opened],
                "block-open",
                "“{word}” alone begins a text that a line with the word “end” closes; that line is missing. "
                "Nothing below it was read.",
                word=name,
            )
        inside, self.at = (self.at, close), close + 1
        if name == "plan":
            text = "\n".join(
                [*([argument.lower()] if argument else []), *join_plan(self.lines[slice(*inside)])]
            )
        else:
            text = "\n".join(self.raw[slice(*inside)]).strip("\n")
        return Command(name, text, match) if text.strip() else _misused(name, name, f"{name} …")


def _says_stop(lines: Sequence[str]) -> bool:
    """True for `stop` with its please and its writer's name, and nothing else."""
    if not lines or len(lines) > 3:
        return False
    words = fold_words(lines[0].strip(" .!")).split()
    is_name = all(len(line.split()) <= 2 and line.istitle() for line in lines[1:])
    return [word for word in words if word not in PLEASE] == ["stop"] and "?" not in lines[0] and is_name


def is_comment(line: str) -> bool:
    """True for a line that begins with `#`, as in the record of a match; `#7` names a turn."""
    return line.startswith("#") and not line[1:2].isdecimal()


def is_command_line(line: str) -> bool:
    """True if the line is a command with all that it takes."""
    rest = split_match(line)[1]
    word, _, argument = rest.partition(" ")
    name = _without_stop(word).lower()
    return name in COMMAND_WORDS and (name not in USAGE or takes(name, _without_stop(argument)))


def _is_cut_off(above: str, line: str, *, is_text: bool) -> bool:
    """True if this is the rest of the line above, which a mail program broke because it was full.

    `is_text`: that line is itself the rest of a text.
    """
    if not (is_text or has_text(split_match(above)[1])) or not runs_on(above, line):
        return False
    return has_no_room(above, line) and len(above) <= WIDEST_WRAPPED


def _without_polite(line: str) -> str:
    """A command without the please and thanks behind it; any other line, and a text for people, as it is."""
    said, polite = split_polite(line)
    word, _, argument = said.partition(" ")
    name = word.lower()
    may_ask_others = name in ASKED_OF_OTHERS and any(plea in polite for plea in PLEASE)
    if not polite or name not in USAGE or has_text(said) or may_ask_others or not takes(name, argument):
        return line
    return said


def _read_command(
    name: str, argument: str, match: str | None, line: str, wrapped: tuple[str, ...]
) -> Iterator[Line]:
    argument = _without_stop(_LINK_TARGET.sub("", argument))
    if not takes(name, argument):
        yield _misused(name, line, USAGE[name][1])
    elif name in EACH_ALONE and "@" in argument:
        # Each is a line of its own, so that one which is refused holds up no other.
        yield from (Command(name, each, match) for each in dict.fromkeys(argument.split()))
    else:
        kept = argument if name in KEPT_AS_TYPED else argument.lower()
        yield Command(name, kept, match, wrapped=wrapped)


def _read_moves(line: str, match: str | None) -> Iterator[Line]:
    """The moves on one line, separated by `;`."""
    if len(line) > MAX_MOVE:
        yield _unread(echo(line), "too-long", "This line is too long for a move. Write one move on a line.")
        return
    parts = _split_moves(line, match)[: MAX_COMMANDS + 1]
    words = {part.partition(" ")[0].lower() for _, part in parts}
    if len(parts) > 1 and words & COMMAND_WORDS:
        yield _unread(
            line, "one-per-line", "Only moves can share a line. Write each command on a line of its own."
        )
        return
    meant = [place for place, (_, part) in enumerate(parts) if len(parts) > 1 and not is_courtesy(part)]
    for place, (named, part) in enumerate(parts):
        read = _read_move(part, named)
        if isinstance(read, MoveLine):
            beside = [other for other in meant if other != place and parts[other][0] in (named, None)]
            read = replace(read, stands_alone=not beside)
        yield read


def _split_moves(line: str, match: str | None) -> list[tuple[str | None, str]]:
    """The moves of a line, each with its match: the one that it names, else that of the move before it."""
    parts = [part.strip() for part in _SEMICOLON.split(line)]
    moves: list[tuple[str | None, str]] = []
    for part in [part for part in parts if part] or [line]:
        named, move = split_match(part) if moves else (None, part)
        match = named or match
        moves.append((match, move))
    return moves


def _read_move(part: str, match: str | None) -> Line:
    word, _, rest = part.partition(" ")
    preview = word.lower() == "preview"
    text = rest if preview else part
    numbered = _PROMPT.search(text)
    if numbered:
        text = text[: numbered.start()].strip()
    if not text and preview:
        return _misused("preview", part, "preview MOVE")
    if not text:
        return _unread(
            part, "no-move", "There is no move on this line. Write the move, and the number after it."
        )
    return MoveLine(text, int(numbered.group(1)) if numbered else None, match, preview)


def _marked(read: Line, above: str, line: str, below: str) -> Line:
    """Mark a move or command that continues the sentence above.

    One with a match or number, and a text with its colon (`say: …`), never does.
    """
    if isinstance(read, Unread):
        return read
    if isinstance(read, MoveLine):
        read = replace(read, stands_alone=read.stands_alone and stands_alone(above, line, below))
    if read.match or _is_explicit(line) or not runs_on(above, line):
        return read
    if isinstance(read, MoveLine) and (read.prompt_ply is not None or read.preview):
        return read
    return replace(read, runs_on=True)


def _is_explicit(line: str) -> bool:
    """True for a text that is named with its colon, as in `say: Hello`."""
    word, colon, _ = line.partition(":")
    return bool(colon) and word.lower() in TEXTS


def _bounded(lines: Iterable[Line]) -> list[Line]:
    """At most `MAX_COMMANDS` moves and commands; the rest is not read, and gives one message."""
    read: list[Line] = []
    asked = 0
    for line in lines:
        asked += not isinstance(line, Unread)
        if asked > MAX_COMMANDS:
            text = line.text if isinstance(line, MoveLine) else getattr(line, "name", "")
            return [
                *read,
                _unread(
                    text,
                    "too-many",
                    "Only {limit} commands of a mail are read. Send the rest in another mail.",
                    limit=MAX_COMMANDS,
                ),
            ]
        read.append(line)
    return read


def _rest_of_line(raw: str, name: str) -> str:
    """The text behind `say` or `note` as it was typed; empty if the word is only there in the folded line."""
    seen = spoken(raw)
    at = seen.lower().find(name)
    return seen[at + len(name) :].removeprefix(":").strip() if at >= 0 else ""


def _ends_reading(raw: str, line: str) -> bool:
    return raw.strip() in {"--", "—"} or is_end(line)


def _without_stop(text: str) -> str:
    return text.removesuffix(".").rstrip()


def _misused(name: str, line: str, usage: str) -> Unread:
    return _unread(line, "usage", "“{word}” is written like this: {usage}", word=name, usage=usage)


def _unread(text: str, code: str, template: str, **params: Json) -> Unread:
    return Unread(text[:200], code, Message(template, params))
