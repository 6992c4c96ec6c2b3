"""The cost of a mail or a log line is bounded, whatever it says, and its refusal is explained."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from django.conf import settings as configured

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib.text.patterns import TooMuchWork, limited, spend
from gemserver.lib.text.redaction import HIDDEN, LONGEST_IN_LOGS, redact_log
from gemserver.mailgate import parse as parsing
from gemserver.mailgate.header import UnreadableMail
from gemserver.mailgate.judging import OF_A_STRANGER
from gemserver.mailgate.lines.commands import read_lines
from gemserver.mailgate.parse import STEPS, parse
from gemserver.mailgate.reading.html_text import html_to_text
from gemserver.mailgate.reading.text_lines import MAX_MARKS, thin_marks
from gemserver.mailgate.reply import extract_text, read_reply
from gemserver.matches.models import Seat
from tests.hostile.bodies import GIVEN, body, lines, page
from tests.mailgate.letters import letter, receive, receive_at
from tests.mailgate.posting import one_line, sent_to
from tests.mailgate.test_hostile_mail import calls

SIZE = 6000
SLOW = "\n".join("x " + "On 1 " * 19 for _ in range(2000))
"""195 kB that took 219 s."""

LINES, OTHERS = 150, 25
"""Lines beside those that are `GIVEN`: finding them takes seconds, which every run would wait for before its tests."""


@cache
def every_line(most: int, seed: int = 1) -> list[tuple[str, str]]:
    """The names and lines that are tried, in their order."""
    return list(lines(most, seed))


def steps(read: object, text: str) -> int:
    """The steps that the reading takes, by its own count."""
    with limited(10**12) as bound:
        read(text)  # type: ignore[operator]
    return 10**12 - bound.left


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(GIVEN) + LINES))
def test_twice_the_text_takes_about_twice_the_steps(number: int) -> None:
    name, line = every_line(LINES)[number]
    for read, make in ((read_reply, body), (html_to_text, page), (read_lines, body)):
        once, twice = (steps(read, make(line, size)) for size in (SIZE, 2 * SIZE))
        assert twice <= 2.5 * once + 4000, (name, make.__name__)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(GIVEN) + OTHERS))
def test_what_is_not_counted_is_in_proportion_to_what_is(number: int) -> None:
    """Function calls are the cost that a profile sees; if they were not counted as steps, nothing would end them."""
    name, line = every_line(OTHERS, seed=2)[number]
    text = body(line, SIZE)
    assert calls(read_reply, text) <= steps(read_reply, text) / 4 + 20_000, name


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(GIVEN) + OTHERS))
def test_what_is_typed_takes_few_calls_however_it_is_divided(number: int) -> None:
    """Three lines of 2,000 signs took minutes: each move on them was held against all others, which counts no step."""
    name, line = every_line(OTHERS, seed=2)[number]
    text = body(line, SIZE)
    read_lines(text)  # loads the phrases
    assert calls(read_lines, text) <= 100_000, name


@pytest.mark.slow
def test_the_mail_that_took_minutes_is_given_up_early() -> None:
    with limited(STEPS) as bound, pytest.raises(TooMuchWork):
        read_reply(SLOW)
    assert bound.left < 0
    assert calls(extract_text, SLOW) < STEPS / 4
    assert extract_text(SLOW) == ""


@pytest.mark.django_db
class TestWhatBecomesOfIt:
    def test_the_player_is_told_and_nothing_is_lost(self, seat: Seat, player: User) -> None:
        row = receive(seat, letter(seat, f"bid 1\n{SLOW}"))
        assert (row.state, row.code) == ("unreadable", "too-much-work")
        assert row.raw is not None
        assert "takes too long to be read" in one_line(sent_to(player)[-1])

    def test_a_strangers_mail_is_read_only_at_its_beginning(self, seat: Seat, player: User) -> None:
        """Of a mail without authority, at most 20 000 characters are looked at."""
        mail = letter(seat, "x" * 70 + "\n" + SLOW, sender="stranger@example.net")
        read: list[int] = []
        original = parsing.read_body

        def note(message: object, most: int) -> object:
            read.append(most)
            return original(message, most)  # type: ignore[arg-type]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parsing, "read_body", note)
            receive(seat, mail)
        assert read == [OF_A_STRANGER]

    def test_a_forged_mail_is_not_read_at_all(self, seat: Seat, player: User, settings: Any) -> None:
        settings.MAIL_AUTH = "normal"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parsing, "read_body", lambda *_: pytest.fail("read"))
            row = receive(seat, letter(seat, SLOW), dmarc="fail")
        assert row.code == "forged"

    def test_nor_one_to_nobody(self, seat: Seat, player: User) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parsing, "read_body", lambda *_: pytest.fail("read"))
            mail = letter(seat, SLOW, To="x@gem.localhost")
            row = receive_at("x@gem.localhost", mail, sender="a@b.example", at=seat.match.created_at)
        assert row.state == InboundEmail.State.DROPPED


def test_parameters_of_a_part_that_the_library_would_cut_again_and_again() -> None:
    """1 MB of `; a=b` in the Content-Type of a part took minutes: each one copied the rest."""
    for field in (
        b"Content-Type: text/plain",
        b"content-disposition: inline",
        b"X: y\r\nContent-Type:\r\n text/plain",
    ):
        raw = (
            b"From: a@b.c\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
            + field
            + b"; a=b" * 180_000
        )
        with pytest.raises(UnreadableMail) as refused:
            parse(raw + b"\r\n\r\nbid 3\r\n--b--\r\n")
        assert refused.value.code == "too-complex"


class TestBound:
    def test_an_inner_bound_takes_from_the_outer_one(self) -> None:
        with limited(100) as outer:
            with limited(1000) as inner:
                spend(60)
            assert (inner.left, outer.left) == (40, 40)
            with pytest.raises(TooMuchWork), limited(1000):
                spend(41)
        assert outer.left < 0

    def test_without_a_bound_nothing_ends(self) -> None:
        spend(10**15)


class TestLogs:
    @pytest.mark.parametrize(
        "line",
        [
            "https:" + "/" * 8000,
            "cookie" * 9000,
            "://a:" * 9000,
            "sessionid" + " " * 60_000,
            "/u/" * 20_000,
            "a2" * 30_000,
        ],
    )
    def test_a_line_of_any_length_takes_a_bounded_number_of_steps(self, line: str) -> None:
        assert steps(redact_log, line) <= 20 * min(len(line), LONGEST_IN_LOGS) + 10_000
        assert "too long to read" not in redact_log(line)

    def test_what_is_longer_is_cut_and_says_so(self) -> None:
        line = redact_log("x" * (LONGEST_IN_LOGS + 7))
        assert line.endswith("… (7 more characters)")

    @pytest.mark.parametrize(
        ("line", "shown"),
        [
            ("GET https://x.example/a?b=c HTTP", f"GET https://x.example/a?{HIDDEN} HTTP"),
            ("/m/1?next=/secret", f"/m/1?{HIDDEN}"),
            ("'https://x.example/?token=a'", f"'https://x.example/?{HIDDEN}'"),
            ("what? https://x.example", "what? https://x.example"),
            ("what/why? no", "what/why? no"),
            ("a?b/c?d=e", f"a?b/c?{HIDDEN}"),
            ("postgres://user:secret@host/db", f"postgres://user:{HIDDEN}@host/db"),
        ],
    )
    def test_query_strings_and_passwords_are_cut_as_before(self, line: str, shown: str) -> None:
        assert configured.configured
        assert redact_log(line) == shown


def test_no_letter_carries_more_marks_than_a_language_writes() -> None:
    """Sorting them took quadratic time."""
    assert thin_marks("a" + "\u0301" * 99 + "e\u0301") == "a" + "\u0301" * MAX_MARKS + "e\u0301"
