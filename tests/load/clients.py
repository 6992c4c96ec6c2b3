"""The load generator, a process of its own: `python -m tests.load.clients SCRIPTS PORT`.

SCRIPTS is a JSON file: lists of forms to send in order, one list for each match; a form is path, headers, body and
status. Each line of standard input asks for a round, `closed CLIENTS SECONDS` (each client sends when it has its
answer) or `open RATE SECONDS` (forms are sent at fixed instants, whatever the answers do, and their time counts from
that instant); the result is a line of JSON. Any other status than a script expects ends the process.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from tests.load.servers import HOST

OPEN_CLIENTS = 32
"""Simultaneous connections of an open round; more than a server of eight threads needs."""


@dataclass(frozen=True, slots=True)
class Form:
    """One move to send, with the status that means that it was made."""

    path: str
    headers: dict[str, str]
    body: str
    status: int


class Clients:
    """Sends the scripts of all matches, each in its order."""

    def __init__(self, scripts: list[deque[Form]], port: int) -> None:
        self._scripts = scripts
        self._port = port
        self._turn = -1

    def closed(self, clients: int, seconds: float) -> list[float]:
        """The time that each answer took; `clients` of them share the matches out among themselves."""
        until = time.perf_counter() + seconds
        with ThreadPoolExecutor(clients) as pool:
            rounds = [pool.submit(self._send_until, self._scripts[n::clients], until) for n in range(clients)]
            return [took for done in rounds for took in done.result()]

    def open(self, rate: float, seconds: float) -> list[float]:
        """The time from each form's instant to its answer."""
        began = time.perf_counter() + 0.05
        rounds: list[Future[float]] = []
        last: dict[int, Future[float]] = {}
        with ThreadPoolExecutor(OPEN_CLIENTS) as pool:
            for number in range(int(rate * seconds)):
                due = began + number / rate
                time.sleep(max(0, due - time.perf_counter()))
                chosen = self._next_idle(last)
                last[chosen] = pool.submit(self._send, self._scripts[chosen].popleft(), due)
                rounds.append(last[chosen])
            return [done.result() for done in rounds]

    def _next_idle(self, last: dict[int, Future[float]]) -> int:
        """The match that has waited longest among those that have a form left and no answer outstanding."""
        while any(self._scripts):
            for _ in range(len(self._scripts)):
                self._turn = (self._turn + 1) % len(self._scripts)
                answered = self._turn not in last or last[self._turn].done()
                if self._scripts[self._turn] and answered:
                    return self._turn
            # If the server is too slow for the rate, waiting forms are late, and count as late.
            time.sleep(0.001)
        raise SystemExit("the scripts are used up; make them longer")

    def _send_until(self, scripts: list[deque[Form]], until: float) -> list[float]:
        times = []
        while any(scripts):
            for script in scripts:
                if time.perf_counter() > until:
                    return times
                if script:
                    times.append(self._send(script.popleft(), time.perf_counter()))
        raise SystemExit("the scripts are used up; make them longer")

    def _send(self, form: Form, since: float) -> float:
        """Send on a new connection, as nginx passes requests on: whichever worker is free takes it."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        headers = {"Host": HOST, "X-Forwarded-Proto": "https", "Connection": "close", **form.headers}
        try:
            connection.request("POST", form.path, form.body, headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status != form.status:
            raise SystemExit(f"{form.path}: {response.status} for {form.body}\n{text.decode()[:3000]}")
        return time.perf_counter() - since


def main(file: str, port: str) -> None:
    scripts = [
        deque(Form(*form) for form in script) for script in json.loads(Path(file).read_text(encoding="utf-8"))
    ]
    clients = Clients(scripts, int(port))
    print("ready", flush=True)
    for line in sys.stdin:
        kind, number, seconds = line.split()
        began = time.perf_counter()
        if kind == "closed":
            times = clients.closed(int(number), float(seconds))
        else:
            times = clients.open(float(number), float(seconds))
        print(json.dumps({"seconds": time.perf_counter() - began, "times": times}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
