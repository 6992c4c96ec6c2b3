"""A DNS server for tests, on the loopback interface, which the process asks instead of the machine's own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import dns.message
import dns.rcode
import dns.resolver
import dns.rrset

SILENT, BROKEN = "silent.example", "broken.example"
"""Domains of whose names nothing is said; and texts of single names of which nothing is."""


@contextmanager
def answering(texts: Mapping[str, str], *, silent: bool = False) -> Iterator[None]:
    """TXT records by name; all other names do not exist. `silent`: it hears and never answers.

    Of a name below `SILENT`, or with that text, it says nothing; of one like `BROKEN` that it cannot find out
    (SERVFAIL).
    """
    with serving(texts, silent=silent) as port:
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = port
        before, dns.resolver.default_resolver = dns.resolver.default_resolver, resolver
        try:
            yield
        finally:
            dns.resolver.default_resolver = before


@contextmanager
def serving(texts: Mapping[str, str], *, silent: bool = False) -> Iterator[int]:
    """The server alone, for other processes; yields its port."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=_serve, args=(server, texts, silent), daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", server.getsockname())
        thread.join(5)
        server.close()


def _serve(server: socket.socket, texts: Mapping[str, str], silent: bool) -> None:
    while True:
        wire, client = server.recvfrom(4096)
        if not wire:
            return
        query = dns.message.from_wire(wire)
        question = query.question[0]
        answer = dns.message.make_response(query)
        name = question.name.to_text(omit_final_dot=True).lower()
        text = texts.get(name)
        if silent or SILENT in (text, name) or name.endswith(f".{SILENT}"):
            continue
        if BROKEN in (text, name) or name.endswith(f".{BROKEN}"):
            answer.set_rcode(dns.rcode.SERVFAIL)
        elif text is None:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        elif question.rdtype == dns.rdatatype.TXT:
            pieces = " ".join(f'"{text[at : at + 200]}"' for at in range(0, len(text), 200))
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", "TXT", pieces))
        server.sendto(answer.to_wire(), client)
