"""Finds the command that people ask for in their own words, for an answer that names it: `I'm away until Monday`.

Nothing found here is carried out: it is offered as a line that is ready to be sent. What only shows something is read
by `short_words.read_command`. The words stand in `phrases/LANGUAGE.txt`, one section for each wish; a line is a wish
if each of its words stands in that section, belongs to `(asking)` or to courtesy, or is a day, a span, a game or a name
that the command takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.conf import settings
from django.urls import reverse

from games import registry
from games.contract import Json, Message
from games.phrases.lines import is_courtesy
from games.phrases.phrasebook import LANGUAGES, fold_word, fold_words
from gemserver.mailgate.lines.days_in_words import Days, take_days
from gemserver.mailgate.lines.short_words import (
    LONGEST,
    SHOWN,
    cover,
    kinds_of,
    listed,
    split_parts,
    with_slugs,
)
from gemserver.mailgate.lines.times_in_words import take_hours, take_span, take_zone

WISH = "wish"
"""The code of a line that was read so."""
MOST_NAMED = 3
"""Words of a name."""
MOST_NEAREST = 3
"""Commands that are named."""
MOST_WORDS = 30
"""Words of a line that may be about a command; longer ones tell a story."""
_BESIDE = ("(asking)", "(polite)", "(invited)")
_PRACTICE = ("(practice)", "(practising)", "(play)", "(around)", *_BESIDE)


@dataclass(frozen=True, slots=True)
class Said:
    """The days, hours, name and game that a wish names besides its own words."""

    line: str
    days: Days | None = None
    span: str = ""
    hours: tuple[str, ...] = ()
    name: str = ""
    game: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A sentence that names a command, and the lines that can be sent as they are; none if a part is missing."""

    message: Message
    lines: tuple[str, ...] = ()


def find_offer(line: str, today: date, names: Sequence[str] = (), game: str = "") -> Offer | None:
    """Return what to offer to the writer of a line that is no command; None if it is no wish.

    `today`: of the writer; `names`: of the players who may be meant; `game`: of the match that the mail is about.

    >>> find_offer("Can I take that back?", date(2026, 3, 6)).lines
    ('undo',)
    >>> find_offer("I'm away from 3 to 10 August", date(2026, 3, 6)).lines
    ('vacation 2026-08-03 2026-08-10',)
    >>> find_offer("Ben is away until Monday", date(2026, 3, 6)) is None
    True
    """
    if len(line) > LONGEST:
        return None
    if talk := _read_tell(line, names):
        return _offer(_TELL, "say: …", [f"say: {talk}"])
    if (practised := read_practice(line)) is not None:
        return _make_offer("(practice)", Said(line, game=practised), game)
    kind, said = _read(line, today)
    if kind is None or (said.name and kind not in _NAMING):
        return None
    return _make_offer(kind, said, game)


def read_practice(line: str) -> str | None:
    """Return the game of a line that asks for a match against a bot and for nothing else; None for any other line.

    Empty if it names no game.

    >>> read_practice("Ich möchte GEM gegen den Computer spielen!"), read_practice("How do I practise against a bot?")
    ('gem', '')
    >>> read_practice("I'd like to play GEM") is None, read_practice("Ben plays like a robot") is None
    (True, True)
    """
    if len(line) > LONGEST:
        return None
    found: set[str] = set()
    games: set[str] = set()
    for part in split_parts(line.replace("?", "!")):
        words = with_slugs(fold_words(part)).split()
        games |= {word for word in words if word in registry.GAMES}
        kinds = cover([word for word in words if word not in registry.GAMES], kinds_of(*_PRACTICE))
        if kinds is None and not is_courtesy(part):
            return None
        found.update(kinds or ())
    return min(games, default="") if "(practice)" in found and len(games) < 2 else None


def find_nearest(line: str, today: date, game: str = "") -> Offer | None:
    """Return the commands that a line is nearest to which was not read, by what it is about; None if by nothing.

    Other words are passed over, and doubts and denials count for nothing, as nothing is carried out.

    >>> find_nearest("Is there a way to undo what I did?", date(2026, 3, 6)).lines
    ('undo',)
    >>> find_nearest("my deadline, and my next puzzle", date(2026, 3, 6)).lines
    ('status', 'puzzle')
    """
    rest, days = take_days(line, today)
    topics = _rank_topics(line, is_request="?" in line or days is not None)
    if not topics:
        return None
    said = Said(line, days, take_span(rest)[1], take_hours(rest)[1], zone=take_zone(rest)[1])
    if len(topics) == 1 and topics[0] in _OFFERS:
        return _make_offer(topics[0], said, game)
    lines = [each for topic in topics for each in _ready_lines(topic, said, game)]
    if not lines:
        return _make_offer(topics[0], said, game) if topics[0] in _OFFERS else None
    lines = list(dict.fromkeys(lines))[:MOST_NEAREST]
    return _offer(_NEAREST, " · ".join(lines), lines)


def _rank_topics(line: str, *, is_request: bool) -> list[str]:
    """The sections that the words of a line belong to, the one with most of them first; at most three.

    Of a line that asks for nothing one word is not enough.
    """
    words = [word for part in split_parts(line.replace("?", "!")) for word in fold_words(part).split()]
    if len(words) > MOST_WORDS:
        return []
    text = f" {' '.join(words)} "
    least = 1 if is_request or any(f" {phrase} " in text for phrase in listed("(request)")) else 2
    weights: dict[str, int] = {}
    for topic in _TOPICS:
        hits = [phrase for phrase in listed(f"(about {topic[1:]}") if f" {phrase} " in text]
        if (weight := sum(len(phrase.split()) for phrase in hits)) >= least:
            weights[topic] = weight
    return sorted(weights, key=lambda topic: -weights[topic])[:MOST_NEAREST]


def _ready_lines(topic: str, said: Said, game: str) -> Sequence[str]:
    if topic in _PAGES:
        return ()
    return _OFFERS[topic][1](said, game)[1:] if topic in _OFFERS else (topic.strip("()"),)


def _make_offer(kind: str, said: Said, game: str) -> Offer:
    sentence, write = _OFFERS[kind]
    if kind in _PAGES:
        page, view = _PAGES[kind]
        return Offer(replace(sentence, params={"page": page, "url": settings.SITE_URL + reverse(view)}))
    usage, *lines = write(said, game)
    return _offer(sentence, usage, lines)


def _offer(sentence: Message, usage: str, lines: Sequence[str]) -> Offer:
    params: dict[str, Json] = {"usage": usage, "lines": " · ".join(lines) or usage}
    return Offer(replace(sentence, params=params), tuple(lines))


def _read(line: str, today: date) -> tuple[str | None, Said]:
    """The section that a line belongs to, None unless it is one alone, and what else the line says."""
    rest, days = take_days(line.replace("?", "!"), today)
    rest, span = take_span(rest)
    rest, hours = take_hours(rest)
    rest, zone = take_zone(rest)
    found: set[str] = set()
    named: list[str] = []
    games: set[str] = set()
    for part in split_parts(rest):
        raw = part.split()
        games |= {fold_word(word) for word in raw if fold_word(word) in registry.GAMES}
        raw = [word for word in raw if fold_word(word) not in registry.GAMES]
        kinds = _cover_around_name(raw, named)
        if kinds is None and not is_courtesy(part):
            return None, Said(line)
        found.update(kinds or ())
    found.difference_update(_BESIDE)
    said = Said(line, days, span, hours, " ".join(named), min(games, default=""), zone)
    return (found.pop() if len(found) == 1 else None), said


def _cover_around_name(raw: Sequence[str], named: list[str]) -> Sequence[str] | None:
    """The kinds of the phrases that the words are made of, which may have one name between them; None for others."""
    kinds = kinds_of(*(kind for kind in _OFFERS if kind != "(tell)"), *_BESIDE)
    if (found := _cover(raw, kinds)) is not None or named:
        return found
    for size in range(1, MOST_NAMED + 1):
        for start in range(len(raw) - size + 1):
            name = raw[start : start + size]
            around = _cover(raw[:start], kinds), _cover(raw[start + size :], kinds)
            if name[0][:1].isupper() and None not in around:
                named.extend(name)
                return [kind for each in around for kind in each or ()]
    return None


def _cover(raw: Sequence[str], kinds: Mapping[str, str]) -> Sequence[str] | None:
    return cover(fold_words(" ".join(raw)).split(), kinds)


def _read_tell(line: str, names: Sequence[str]) -> str:
    """Return what a line wants passed on, *I'm late* of `tell Ben that I'm late`; empty for any other line."""
    raw = line.split()
    folded = [fold_words(word.strip(",:")) for word in raw]
    asks = listed("(tell)") | listed("(let)")
    at = next((at for at, word in enumerate(folded) if word in asks), -1)
    if at < 0 or raw[at].endswith(",") or _cover(raw[:at], kinds_of(*_BESIDE)) is None:
        return ""
    people = _skip(folded, at + 1, listed("(polite)") | {"a"})
    told = _skip(folded, people, listed("(told)") | set(map(fold_words, names)))
    known = _skip(folded, told, listed("(know)"))
    if told == people or (folded[at] in listed("(let)") and known == told):
        return ""
    words = _skip(folded, _skip(folded, known, listed("(polite)")), listed("(that)"))
    return " ".join(raw[words:])


def _skip(words: Sequence[str], at: int, phrases: frozenset[str] | set[str]) -> int:
    """The place behind the longest of these phrases that stands here; the same place if none does."""
    ends = range(min(len(words), at + 4), at, -1)
    return next((end for end in ends if " ".join(words[at:end]) in phrases), at)


def _fixed(*lines: str) -> Callable[[Said, str], Sequence[str]]:
    return lambda said, game: (lines[0], *lines)


def _with_days(word: str) -> Callable[[Said, str], Sequence[str]]:
    return lambda said, game: (f"{word} FROM TO", *([f"{word} {said.days}"] if said.days else []))


def _with_name(word: str) -> Callable[[Said, str], Sequence[str]]:
    usage = f"{word} {'NAME' if word == 'rename' else 'PLAYER'}"
    return lambda said, game: (usage, *([f"{word} {said.name}"] if said.name else []))


def _sitter(said: Said, game: str) -> Sequence[str]:
    is_complete = said.name and said.days
    return ("sitter NAME FROM TO", *([f"sitter {said.name} {said.days}"] if is_complete else []))


def _snooze(said: Said, game: str) -> Sequence[str]:
    return ("snooze 3h", f"snooze {said.span or ('1d' if said.days else '3h')}")


def _quiet(said: Said, game: str) -> Sequence[str]:
    return ("quiet 22-07", f"quiet {'-'.join(said.hours) or '22-07'}")


def _language(said: Said, game: str) -> Sequence[str]:
    words = set(fold_words(said.line).split())
    is_denied = bool(words & listed("(not in language)"))
    meant = [code for code in LANGUAGES if bool(words & listed(f"(language {code})")) != is_denied]
    return ("language de · language en · language fr", *(f"language {code}" for code in meant or LANGUAGES))


def _zone(said: Said, game: str) -> Sequence[str]:
    return ("zone Europe/Paris", *([f"zone {said.zone}"] if said.zone else []))


def _new(said: Said, game: str) -> Sequence[str]:
    game = said.game or game
    return ("new GAME", *([f"new {game}"] if game else []))


def _invite(said: Said, game: str) -> Sequence[str]:
    return ("new GAME · invite PLAYER", *_new(said, game)[1:], *_with_name("invite")(said, game)[1:])


def _tutorial(said: Said, game: str) -> Sequence[str]:
    game = said.game or game
    return ("tutorial GAME", *([f"tutorial {game}"] if game else []))


def practice_lines(game: str = "") -> list[str]:
    """The lines that begin a match against bots: of this game, or one for each game."""
    games = {game: registry.GAMES[game]} if game in registry.GAMES else registry.GAMES
    return [f"new {slug} bots={offered.rules.meta.min_seats - 1}" for slug, offered in games.items()]


def _practice(said: Said, game: str) -> Sequence[str]:
    return ("new GAME bots=1", *practice_lines(said.game or game))


_TELL = Message("Nothing was said yet. To say this to the table write: {lines}")
_OFFERS: Mapping[str, tuple[Message, Callable[[Said, str], Sequence[str]]]] = {
    "(undo)": (
        Message(
            "Nothing was done yet. To ask the others whether you may take your last move back write: {lines}"
        ),
        _fixed("undo"),
    ),
    "(more time)": (
        Message(
            "Nobody can be given more time alone, but days off stop the clocks. For days off of the whole table, "
            "when all agree, write holiday FROM TO; for your own write vacation FROM TO, with days like 2026-03-30."
        ),
        lambda said, game: ("holiday FROM TO · vacation FROM TO",),
    ),
    "(days off)": (
        Message(
            "Nothing was done yet. For days off, on which your clocks stand still in all matches, write: {lines}"
        ),
        _with_days("vacation"),
    ),
    "(pause)": (
        Message("Nothing was done yet. To propose days off to the whole table write: {lines}"),
        _with_days("holiday"),
    ),
    "(snooze)": (
        Message("Nothing was done yet. To get no mail for a while, and then a reminder, write: {lines}"),
        _snooze,
    ),
    "(night)": (
        Message(
            "Nothing was done yet. For hours of the night that count on no clock of yours write: {lines}"
        ),
        _quiet,
    ),
    "(fewer)": (
        Message(
            "Nothing was done yet. For one mail a day, or for no mail of your turns at all, write: {lines}"
        ),
        _fixed("mail digest 08:00", "mail off"),
    ),
    "(in language)": (
        Message("Nothing was done yet. For your mails in another language write: {lines}"),
        _language,
    ),
    "(zone)": (Message("Nothing was done yet. For times in your own zone write: {lines}"), _zone),
    "(new address)": (Message("Your mail address is changed on the web: {url}"), lambda said, game: ("",)),
    "(new name)": (
        Message("Nothing was done yet. To play under another name write: {lines}"),
        _with_name("rename"),
    ),
    "(end match)": (
        Message(
            "Nothing was done yet. There is no draw; who wants to play no longer resigns, and is asked once more. For "
            "that write: {lines}"
        ),
        _fixed("resign"),
    ),
    "(rematch)": (
        Message(
            "Nothing was done yet. To play a match that is over again with the same people, or to open a new table, "
            "write: {lines}"
        ),
        lambda said, game: ("rematch · new GAME", "rematch", *_new(said, game)[1:]),
    ),
    "(invite)": (
        Message("Nothing was done yet. To open a table, and then to invite somebody to it, write: {lines}"),
        _invite,
    ),
    "(leave table)": (
        Message("Nothing was done yet. To get up from a table that still waits for players write: {lines}"),
        _fixed("leave"),
    ),
    "(report)": (
        Message("Nothing was reported yet. To ask the moderators to look at it write: {lines}"),
        lambda said, game: ("report WORDS", f"report {said.line}"),
    ),
    "(block)": (
        Message("Nothing was done yet. To see no more messages of a player, nor they yours, write: {lines}"),
        _with_name("block"),
    ),
    "(erase)": (
        Message("Nothing was erased. To be told what would go, and to get the code for it, write: {lines}"),
        _fixed("erase"),
    ),
    "(come back)": (
        Message(
            "Nothing was done yet. To take your seat back from a bot, or to end your days off, write: {lines}"
        ),
        _fixed("return", "vacation off"),
    ),
    "(sitter)": (
        Message("Nothing was done yet. To have somebody play for you for some days write: {lines}"),
        _sitter,
    ),
    "(learn game)": (Message("To learn a game step by step write: {lines}"), _tutorial),
    "(practice)": (
        Message(
            "Nothing was done yet. For a match against a bot of this server, which begins at once and is seen by "
            "nobody else, write: {lines}"
        ),
        _practice,
    ),
    "(start table)": (
        Message("Nothing was done yet. To begin at a table that still waits for players write: {lines}"),
        _fixed("start"),
    ),
    "(tell)": (
        Message("Nothing was said yet. To say something to the table write: say: WORDS"),
        lambda said, game: ("say: WORDS",),
    ),
    "(each morning)": (
        Message(
            "Nothing was done yet. For the puzzle of the day each morning, or for no more of them, write: {lines}"
        ),
        _fixed("puzzle on", "puzzle off"),
    ),
}
"""By section, the sentence that names its command, and what gives the usage of it and the lines that are ready."""
_NEAREST = Message("This is no command, and nothing was done. Nearest to it: {lines}")
_TOPICS = (*_OFFERS, *SHOWN)
_NAMING = frozenset({"(new name)", "(invite)", "(report)", "(block)", "(sitter)"})
_PAGES = {"(new address)": ("addresses", "account_email")}
"""The wishes that are met on a page, with its name in urls."""
