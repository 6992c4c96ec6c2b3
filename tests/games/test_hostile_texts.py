"""No text of any length or shape keeps a reader of moves, orders or records busy; only ASCII letters are letters."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import pytest

from games.chance import NO_SEED
from games.contract import Game, GameError, InvalidMove
from games.orders import LONGEST, UnreadableOrder, has_alternatives, read_orders
from games.reading import LONGEST_MOVE, join_continued
from games.record import LONGEST_LINE, LONGEST_RECORD, read_record
from games.record_headers import UnreadableRecord, read_options
from games.registry import GAMES, OWN, game
from games.replay import replay
from tests.games.playing import CASES, Case, deal, play_match
from tests.games.test_record import WORKED

PATTERNS = {
    "florentine": ["place ", "r-", "rrbg ", "discard ", "black a1 ", "red-"],
    "gem": ["take ", "sapphire ", "sapphire-", "SR ", "invest SR ", "pay 1 ", "1 "],
    "gembatan": [
        "trade gems ",
        "RB ",
        "gem RB 0,0 N + ",
        "red ",
        "tiles R-B- ",
        "+",
        " ,",
        ", ",
        "tee red-blue ",
    ],
    "gemessengers": ["proclaim ruby ", "headstone ", "play ruby ", "*", "row "],
    "jewellers": ["bid ", "2 ", "2,+", "up to ", "silver ", "a", "a 1"],
}
OPENINGS = {
    "florentine": ["", "place ", "discard ", "black "],
    "gem": ["", "take ", "take SR pay ", "invest ", "bid "],
    "gembatan": ["", "trade ", "trade gems ", "trade tiles ", "play "],
    "gemessengers": ["", "play ", "play ruby ", "proclaim ruby "],
    "jewellers": ["", "bid ", "up to ", "silver "],
}
ANYWHERE = [" ", ".", "-", "é", "\u00a0", "—", "else ", "; ", "always ", "+ "]


def texts(slug: str, length: int) -> Iterator[str]:
    """Openings of moves, followed by one thing over and over."""
    for opening in OPENINGS[slug]:
        for pattern in [*PATTERNS[slug], *ANYWHERE]:
            yield (opening + pattern * length)[:length]


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the calls that are made, of Python and of C. The collector waits: others listen to its passes."""
    steps = [0]

    def count(frame: FrameType, event: str, argument: Any) -> None:
        steps[0] += 1

    gc.disable()
    sys.setprofile(count)
    try:
        yield steps
    finally:
        sys.setprofile(None)
        gc.enable()


def readers(entry: Game) -> Iterator[Callable[[Any, int, str], Any]]:
    yield entry.rules.parse
    yield entry.rules.steps
    if entry.read_later:
        yield entry.read_later
    if entry.sealed_pace:
        yield entry.sealed_pace.read


def first_case(slug: str) -> Case:
    return next(case for case in CASES if case.slug == slug)


@pytest.mark.parametrize("slug", OWN)
def test_a_line_that_is_too_long_for_a_move_is_refused_before_it_is_read(slug: str) -> None:
    """300 000 characters cost as many steps as twice the longest line."""
    state = deal(first_case(slug))
    seat = min(GAMES[slug].rules.waiting_on(state))
    for read in readers(GAMES[slug]):
        costs = []
        for length in (2 * LONGEST_MOVE, 300_000):
            total = 0
            for text in texts(slug, length):
                if text.strip():
                    with counted() as steps, pytest.raises(InvalidMove, match="too-long"):
                        read(state, seat, text)
                    total += steps[0]
            costs.append(total)
        assert costs[1] <= costs[0]


@pytest.mark.parametrize("slug", OWN)
def test_a_text_twice_as_long_costs_at_most_so_much_more(slug: str) -> None:
    state = deal(first_case(slug))
    seat = min(GAMES[slug].rules.waiting_on(state))
    for read in readers(GAMES[slug]):
        for short, long in zip(texts(slug, LONGEST_MOVE // 2), texts(slug, LONGEST_MOVE), strict=True):
            costs = []
            for text in (short, long):
                with counted() as steps, suppress(GameError):
                    read(state, seat, text)
                costs.append(steps[0])
            assert costs[1] <= 2.5 * costs[0] + 50, (read, long[:40])


@pytest.mark.parametrize("slug", OWN)
def test_the_longest_legal_moves_are_never_too_long(slug: str) -> None:
    rules = game(slug).rules
    for case in [case for case in CASES if case.slug == slug][-1:]:
        for played in play_match(case):
            assert 3 * len(rules.write(played.move)) < LONGEST_MOVE


@pytest.mark.parametrize("slug", OWN)
def test_a_plan_that_is_too_long_is_refused_before_it_is_read(slug: str) -> None:
    state = deal(first_case(slug))
    seat = min(GAMES[slug].rules.waiting_on(state))
    for text in texts(slug, 40 * LONGEST):
        with counted() as steps, pytest.raises(UnreadableOrder) as refusal:
            read_orders(GAMES[slug], state, seat, text)
        assert refusal.value.error.code == "too-long"
        assert steps[0] < 100


def records(size: int) -> Iterator[str]:
    """Records of this many lines, or characters in a line, of one kind."""
    yield WORKED + "+ pass\n" * size
    yield WORKED + "6 A pass +\n" * size
    yield WORKED + "else\n" * size
    yield WORKED + "# sealed x A 1 \n" * size
    yield WORKED.replace("Options:", f"Options: {'pace=table ' * (size // 20)}")
    yield WORKED.replace("Options:", f"Options: {'p' * size}")
    yield WORKED.replace("Options:", "X: y\n" * size + "Options:")
    yield WORKED.replace("Players: ", f"Players: {'|' * (size // 2)}")
    yield WORKED + f"6 A {'take SR ' * (size // 8)}\n"
    yield WORKED + f"6 A {' ; bot' * (size // 8)}\n"


def test_records_twice_as_long_cost_at_most_so_much_more() -> None:
    for short, long in zip(records(1500), records(3000), strict=True):
        costs = []
        for text in (short, long):
            with counted() as steps, suppress(UnreadableRecord):
                replay(read_record(text))
            costs.append(steps[0])
        assert costs[1] <= 2.5 * costs[0] + 200, long[:300]


def test_broken_lines_are_joined_once_and_not_again_for_each() -> None:
    """The number of characters passed on is that of the lines: nothing is copied anew for every line."""

    class Line(str):
        read = 0

        def translate(self, table: Any) -> str:
            Line.read += len(self)
            return super().translate(table)

    (joined,) = join_continued([(number, Line("+ step")) for number in range(1, 2001)])
    assert len(joined[1]) == 2000 * len("+ step ") - 1
    assert Line.read == 2000 * len("+ step")


@pytest.mark.parametrize(
    "text",
    [
        f"Game: gem 1\nPlayers: {'A' * LONGEST_LINE} | B\nSeed: {NO_SEED}\n",
        WORKED + "#" * LONGEST_RECORD,
    ],
)
def test_a_record_beyond_all_bounds_is_refused(text: str) -> None:
    with pytest.raises(UnreadableRecord, match="too-long"):
        read_record(text)


@pytest.mark.parametrize(
    ("slug", "text"),
    [
        ("gem", "take ß"),  # whose capital is SS
        ("gem", "take ſs"),
        ("gem", "take ſr pay 1"),
        ("gem", "invest ﬆ pay 1"),
        ("gem", "bid ３"),
        ("gem", "bid ٣"),
        ("gem", "bid ²"),
        ("gem", "\u212aeep"),  # the sign for kelvin
        ("gem", "paſs"),
        ("gem", "take diamond-２"),
        ("jewellers", "bid ２"),
        ("jewellers", "bid ٢ ٣"),
        ("jewellers", "up to １７"),
        ("jewellers", "paſs"),
        ("jewellers", "ſilver R3"),
        ("florentine", "diſcard rrbg"),
        ("florentine", "blac\u212a a3 W"),
        ("gembatan", "paſs"),
        ("gembatan", "gem RB １,0 N"),
        ("gembatan", "trade gemſ RB"),
        ("gemessengers", "play ſapphire"),
        ("gemessengers", "proclaim ruby headſtone"),
    ],
)
def test_letters_and_digits_that_only_look_alike_are_not_read(slug: str, text: str) -> None:
    for case in [case for case in CASES if case.slug == slug][:1]:
        for played in play_match(case)[::5]:
            with pytest.raises(InvalidMove):
                game(slug).rules.parse(played.before, played.seat, text)


def test_words_of_orders_are_ascii_too() -> None:
    entry = game("gem")
    state = deal(first_case("gem"))
    assert not has_alternatives("bid 2 elſe pass")
    for text in ("alwayſ\nbid 2", "bid 2 elſe pass"):
        with pytest.raises(UnreadableOrder):
            read_orders(entry, state, 0, text)


HEAD = f"Game: gem 1\nPlayers: Ana | Bob | Cy\nSeed: {NO_SEED}\n"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (f"{HEAD}Options: pace=table pace=table\n", "option-twice", "line 4:"),
        (f"{HEAD}Options: pace=table pace=sealed\n", "option-twice", "line 4:"),
        (f"{HEAD}Options: colours=rb\n", "unknown-option", "line 4:"),
        (f"{HEAD}Options: silver=no\n", "unknown-option", "line 4:"),
        (f"{HEAD}Ages: 30 31 32\n", "bad-ages", "line 4:"),
        (f"{HEAD}Seed: {NO_SEED}\n", "twice", "line 4:"),
        (HEAD.replace("Bob", " "), "no-name", "line 2:"),
        (HEAD.replace("| Cy", "|"), "no-name", "line 2:"),
        (HEAD.replace("Players:", "Players: |"), "no-name", "line 2:"),
        (HEAD.replace("gem 1", "gem"), "unknown-game", "line 1:"),
        (HEAD.replace("gem 1", "gem 2"), "unknown-version", "line 1:"),
        (HEAD.replace("Bob | Cy", "Bob | Cy | Dee | Eva"), "bad-seats", "line 2:"),
        (HEAD.replace(NO_SEED, "12"), "not-hex", "line 3:"),
        (f"{HEAD}Parts: {NO_SEED}\n", "bad-parts", "line 4:"),
        (f"{HEAD}Match: M1\nFirst: D\n", "bad-first", "line 5:"),
        (f"{HEAD}Result: A 1\n", "bad-result", "line 4:"),
        (f"{HEAD}Ending: bored\n", "bad-ending", "line 4:"),
    ],
)
def test_headers_that_contradict_themselves_are_refused(text: str, code: str, line: str) -> None:
    with pytest.raises(UnreadableRecord) as refusal:
        read_record(text)
    assert refusal.value.code == code
    assert line in str(refusal.value)


def test_no_option_is_chosen_twice_on_the_command_line() -> None:
    with pytest.raises(UnreadableRecord, match="option-twice"):
        read_options(game("gem").rules.meta, "pace=table pace", 3)


def test_a_seat_resigns_once_until_somebody_plays_it_again() -> None:
    """A substitute who has moved may resign in turn; a bot's move makes nobody a substitute."""
    start = "6 B resign\n"
    for between, refused in (("", True), ("7 A bid 0 ; bot\n", True)):
        ply = 7 + between.count("\n")
        played = replay(read_record(f"{WORKED}{start}{between}{ply} B resign\n"))
        assert (played.refusal is not None) == refused
        assert played.refusal
        assert played.refusal.error.code == "resigned"
    moved = f"{WORKED}{start}7 A bid 0\n8 B bid 2\n9 B resign\n"
    assert replay(read_record(moved)).refusal is None
    by_bot = f"{WORKED}{start}7 A bid 0\n8 B bid 2 ; bot\n9 B resign\n"
    refusal = replay(read_record(by_bot)).refusal
    assert refusal
    assert refusal.error.code == "resigned"
