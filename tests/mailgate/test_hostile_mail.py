"""Hostile input costs little: work grows no faster than the input, and nothing takes seconds."""

from __future__ import annotations

import cProfile
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from gemserver.mailgate.header import UnreadableMail
from gemserver.mailgate.lines.commands import read_lines
from gemserver.mailgate.parse import parse
from gemserver.mailgate.reading.html_text import html_to_text
from gemserver.mailgate.reply import extract_text
from tests.quick import one_in

PATIENCE = 10
"""Seconds after which a test is ended; every input here takes well under one."""

BODIES: dict[str, Callable[[int], str]] = {
    "one long opening": lambda n: "On " * n,
    "opening lines": lambda n: ("On " + "x " * 30 + "\n") * (n // 40),
    "French opening lines": lambda n: ("Le " + "x" * 50 + "\n") * (n // 40),
    "dates": lambda n: "2020-01-01 10:00 " * n,
    "date lines": lambda n: "2020-01-01 10:00 a@b.c <\n" * (n // 20),
    "names": lambda n: "Gem Server\n<\n" * (n // 10),
    "addresses": lambda n: "a@b.c " * n,
    "open brackets": lambda n: "<" * n,
    "bracket lines": lambda n: "<a@b.c\n" * n,
    "marks": lambda n: ">" * n,
    "nested quotes": lambda n: "".join(">" * (i % 200) + " x\n" for i in range(n // 20)),
    "fields": lambda n: "From: a <a@b.c>\n" * (n // 10),
    "unknown fields": lambda n: "Ab: c d\n" * (n // 4),
    "fields in one line": lambda n: "From: a Sent: b " * (n // 8),
    "dashes": lambda n: "-" * n + "x",
    "titles": lambda n: "----- x -----\n" * (n // 8),
    "colons": lambda n: "a:\n" * n,
    "blanks": lambda n: " " * n + "x",
    "tabs": lambda n: " \t" * n + "x",
    "line feeds": lambda n: "x" + "\n" * n + "x",
    "app lines": lambda n: "Sent from my " * n,
    "words": lambda n: "lorem ipsum " * n,
    "disclaimers": lambda n: "this e-mail " * n,
    "markers": lambda n: "-- reply above \n" * (n // 8),
    "invisible": lambda n: "\u200b\u00ad" * n,
}

PAGES: dict[str, Callable[[int], str]] = {
    "open tags": lambda n: "<div>" * n,
    "open and closed tags": lambda n: "<span>" * n + "</span>" * n,
    "end tags": lambda n: "<b>" * 30 + "</p>" * n,
    "mismatched tags": lambda n: ("<b>" * 29 + "</i>" * 100) * (n // 200),
    "quotes": lambda n: "<blockquote>x" * (n // 4),
    "comments": lambda n: "<!--" * n,
    "declarations": lambda n: "<![CDATA[" * n,
    "half tags": lambda n: "<a " * n,
    "half attributes": lambda n: '<a "' * n,
    "closed half attributes": lambda n: '<a ">' * n,
    "brackets": lambda n: "<" * n,
    "numbers": lambda n: "&#" + "9" * n,
    "entities": lambda n: "&abcdefghijklm" * n,
    "scripts": lambda n: "<script>" * n,
    "attributes": lambda n: ("<p " + "class=a " * 400 + ">x") * (n // 400),
    "paragraphs": lambda n: "<p>x" * n,
}

_HEAD = b"From: a@b.c\r\nTo: d@e.f\r\n"
MAILS: dict[str, Callable[[int], bytes]] = {
    "parts": lambda n: _HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\n\r\n" * n,
    "nested mails": lambda n: _HEAD + b"Content-Type: message/rfc822\r\n\r\n" * (n // 10),
    "comments": lambda n: b"From: " + b"(" * min(n, 8000) + b"\r\n\r\n",
    "brackets": lambda n: b"Message-ID: " + b"<" * min(n, 8000) + b"\r\n\r\n",
    "encoded words": lambda n: b"Subject: " + b"=?a?q?" * min(n, 1300) + b"\r\n\r\n",
    "addresses": lambda n: b"To: " + b"a@b.c, " * min(n, 1100) + b"\r\n\r\n",
    "parameters": lambda n: _HEAD + b"Content-Type: text/plain" + b"; a=b" * min(n, 1300) + b"\r\n\r\nbid 3",
    "fields": lambda n: b"A: b\r\n" * n,
    "carriage returns": lambda n: b"\r" * n,
    "punycode": lambda n: (
        _HEAD + b"Content-Type: text/plain; charset=punycode\r\n\r\n" + b"a" * n + b"-" + b"z" * n
    ),
    "utf-7": lambda n: _HEAD + b"Content-Type: text/plain; charset=utf-7\r\n\r\n" + b"+" * n,
    "base64": lambda n: _HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n" + b"=A" * n,
    "quoted-printable": lambda n: _HEAD + b"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + b"=" * n,
    "uuencode": lambda n: _HEAD + b"Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 6 x\n" + b"M" * n,
    "flowed": lambda n: _HEAD + b"Content-Type: text/plain; format=flowed\r\n\r\n" + b"x \r\n" * n,
    "reports": lambda n: (
        _HEAD + b"Content-Type: message/delivery-status\r\n\r\n" + b"Action: failed\r\n\r\n" * n
    ),
}


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """End a test that hangs, so that a slow input fails instead of stopping the suite."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def read_mail(raw: bytes) -> str:
    """The text of the mail, or the code of the refusal."""
    try:
        return parse(raw).text
    except UnreadableMail as refused:
        return refused.code


def calls(read: Callable[[Any], Any], data: str | bytes) -> int:
    """Number of function calls, built-in ones included, that the reading makes."""
    counter = cProfile.Profile()
    counter.enable()
    try:
        read(data)
    finally:
        counter.disable()
    return sum(entry.callcount for entry in counter.getstats())


def grows_linearly(read: Callable[[Any], Any], make: Callable[[int], str | bytes]) -> bool:
    """True if twice the input takes at most twice the work, apart from bounds."""
    read(make(10))
    small, large = calls(read, make(2000)), calls(read, make(4000))
    return large <= 2.2 * small + 500


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(3, BODIES))
def test_reading_a_body_is_linear(name: str) -> None:
    """mail-requirements.md M8."""
    assert grows_linearly(extract_text, BODIES[name])
    extract_text(BODIES[name](50_000))


@pytest.mark.parametrize("name", BODIES)
def test_so_is_looking_for_our_own_text_in_it(name: str) -> None:
    body = BODIES[name](50_000)
    assert extract_text(body, sent=body[:20_000]) is not None


@pytest.mark.parametrize("name", BODIES)
def test_reading_commands_is_linear(name: str) -> None:
    assert grows_linearly(read_lines, BODIES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(3, PAGES))
def test_reading_html_is_linear(name: str) -> None:
    assert grows_linearly(html_to_text, PAGES[name])
    html_to_text(PAGES[name](50_000))


@pytest.mark.slow
@pytest.mark.parametrize("name", MAILS)
def test_parsing_a_mail_is_linear(name: str) -> None:
    """mail-requirements.md M1, M2."""
    assert grows_linearly(read_mail, MAILS[name])
    assert isinstance(read_mail(MAILS[name](50_000)), str)
