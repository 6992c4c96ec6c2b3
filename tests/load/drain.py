"""The other end of outgoing mail: `python -m tests.load.drain PORT` takes every mail and discards it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.services.processes import Process, answers, free_port, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent


class Drain:
    """Hooks for the bare cost of SMTP."""

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Hook that aiosmtpd calls for each mail."""
        return "250 OK"


@contextmanager
def draining(folder: Path) -> Iterator[int]:
    """The port of a drain in a process of its own, which takes no time from ours."""
    port = free_port()
    process = Process("drain", [sys.executable, "-m", "tests.load.drain", str(port)], folder, cwd=ROOT)
    process.start()
    try:
        wait_for("the drain", lambda: answers(port), seconds=30, watched=[process])
        yield port
    finally:
        process.stop()


async def serve(port: int) -> None:
    """Serve for ever."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Drain(), hostname="drain"), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
