"""Damaged mails: sent by people and machines, and changed by accidents."""

from __future__ import annotations

import random
from collections.abc import Callable

Mutation = Callable[[random.Random, bytes], bytes]

MACHINE_FIELDS = (
    b"Auto-Submitted: auto-replied",
    b"Precedence: bulk",
    b"X-Autoreply: yes",
    b"Return-Path: <>",
    b"X-Failed-Recipients: somebody@example.net",
)
"""Each of these makes any mail a machine's (mail-requirements.md L2-L4)."""

ODD_FIELDS = (
    b"Content-Type: text/plain; charset=x-unknown",
    b"Content-Type: text/html",
    b"Content-Type: multipart/mixed; boundary=b",
    b"Content-Type: multipart/mixed",
    b"Content-Type: message/rfc822",
    b"Content-Type: text/plain; format=flowed; delsp=yes",
    b"Content-Transfer-Encoding: base64",
    b"Content-Transfer-Encoding: quoted-printable",
    b"Content-Transfer-Encoding: x-uuencode",
    b"From: somebody@example.net",
    b"From: a@example.net, b@example.net",
    b"Subject: =?utf-8?b?////?=",
    b"Subject: Re: [GEM M1] resign",
    b"In-Reply-To: <<<>",
    b"References: " + b"<x@y.example> " * 50,
    b"Message-ID:",
    b"Date: Thu, 32 Foo 99999 99:99",
    b"Authentication-Results: mx.example.org; dmarc=pass",
    b"Precedence: list",
    b"X-Auto-Response-Suppress: All",
    b"Resent-To: <play@gem.localhost>",
    b"To: " + b"a@b.example, " * 100,
)

ODD_LINES = (
    "resign",
    "resign yes",
    "resign ABCD-EFGH",
    "stop",
    "unsubscribe",
    "end",
    "say hello; bid 3",
    "say\nbid 3\nend",
    "preview bid 1",
    "bid 1 #999999",
    "M1: bid 1",
    "M999999: pass",
    "pass else pass else pass",
    "quiet 22-07 Europe/Nowhere",
    "quiet 99-99",
    "vacation 2026-02-30 2026-02-31",
    "mail digest 25:99",
    "leads 9999d 1m",
    "snooze 0h",
    "join gem",
    "invite somebody@example.net",
    "part " + "x" * 600,
    "+ +\n+",
    "bid 1\nbid 1\nbid 1",
    "\u202ebid 3\u202c",
    "\u212b\u0301 \ufb01 ½ ²",
    "\x00\x07\x1b[31m",
    "> bid 3",
    "-- \nbid 3",
    "x" * 5000,
    "а" * 500,
)


def mutate(chance: random.Random, raw: bytes) -> bytes:
    """The mail after one to four accidents."""
    for _ in range(chance.randint(1, 4)):
        raw = chance.choice(MUTATIONS)(chance, raw)
    return raw


def with_machine_field(chance: random.Random, raw: bytes) -> bytes:
    """Turn the mail into a machine's, by a field that later accidents may not touch."""
    return chance.choice(MACHINE_FIELDS) + _line_end(raw) + raw


def _flip(chance: random.Random, raw: bytes) -> bytes:
    changed = bytearray(raw)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(chance: random.Random, raw: bytes) -> bytes:
    return raw[: chance.randint(1, len(raw))]


def _drop(chance: random.Random, raw: bytes) -> bytes:
    start = chance.randrange(len(raw))
    return raw[:start] + raw[start + chance.randint(1, 40) :] or b"x"


def _repeat(chance: random.Random, raw: bytes) -> bytes:
    start = chance.randrange(len(raw))
    piece = raw[start : start + chance.randint(1, 200)]
    return raw[:start] + piece * chance.randint(2, 20) + raw[start:]


def _add_field(chance: random.Random, raw: bytes) -> bytes:
    return chance.choice(ODD_FIELDS) + _line_end(raw) + raw


def _lose_field(chance: random.Random, raw: bytes) -> bytes:
    end = _line_end(raw)
    head, blank, body = raw.partition(end * 2)
    fields = head.split(end)
    fields.pop(chance.randrange(len(fields)))
    return end.join(fields) + blank + body or b"x"


def _add_line(chance: random.Random, raw: bytes) -> bytes:
    line = chance.choice(ODD_LINES).encode()
    end = _line_end(raw)
    head, blank, body = raw.partition(end * 2)
    if chance.random() < 0.5:
        return head + blank + line + end + body
    return head + blank + body + end + line + end


def _change_line_ends(chance: random.Random, raw: bytes) -> bytes:
    end = chance.choice([b"\n", b"\r\n", b"\r", b"\n\r"])
    return raw.replace(b"\r\n", b"\n").replace(b"\n", end)


def _change_charset(chance: random.Random, raw: bytes) -> bytes:
    charset = chance.choice([b"us-ascii", b"utf-16", b"iso-2022-jp", b"utf-7", b"windows-1252", b"\xff"])
    return raw.replace(b"utf-8", charset)


def _quote(chance: random.Random, raw: bytes) -> bytes:
    end = _line_end(raw)
    head, blank, body = raw.partition(end * 2)
    return head + blank + b"".join(b"> " + line + end for line in body.split(end))


MUTATIONS: tuple[Mutation, ...] = (
    *(_flip, _cut, _drop, _repeat, _add_field, _lose_field),
    *(_add_line, _change_line_ends, _change_charset, _quote),
)


def _line_end(raw: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in raw else b"\n"
