"""A DNS server on the loopback interface that knows a few records."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

Zone = Mapping[tuple[str, str], list[str]]
"""By name and type, as in a zone file: `("gem.test", "MX"): ["10 mail.gem.test."]`."""


@contextmanager
def name_server(zone: Zone) -> Iterator[str]:
    """Answer from the zone, NXDOMAIN for other names; yields its ADDRESS:PORT."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            wire, socket = self.request
            socket.sendto(answer(zone, wire), self.client_address)

    server = socketserver.ThreadingUDPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer(zone: Zone, wire: bytes) -> bytes:
    query = dns.message.from_wire(wire)
    response = dns.message.make_response(query)
    [question] = query.question
    name = str(question.name).rstrip(".").lower()
    kind = dns.rdatatype.to_text(question.rdtype)
    if values := zone.get((name, kind)):
        response.answer.append(dns.rrset.from_text_list(question.name, 60, "IN", kind, values))
    elif alias := zone.get((name, "CNAME")):
        response.answer.append(dns.rrset.from_text_list(question.name, 60, "IN", "CNAME", alias))
        target = alias[0].rstrip(".")
        if values := zone.get((target, kind)):
            response.answer.append(dns.rrset.from_text_list(alias[0], 60, "IN", kind, values))
    elif not any(known == name for known, _ in zone):
        response.set_rcode(dns.rcode.NXDOMAIN)
    return response.to_wire()
