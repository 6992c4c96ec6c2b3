"""`python -m tests.load.bare.mail`: Django set up, and an SMTP server that discards all mail."""

from __future__ import annotations

import asyncio
import os

import django
from aiosmtpd.smtp import SMTP

from tests.load.drain import Drain


async def serve() -> None:
    """Serve for ever."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Drain(), hostname="bare"), "127.0.0.1", int(os.environ["SMTP_PORT"])
    )
    await server.serve_forever()


if __name__ == "__main__":
    django.setup()
    asyncio.run(serve())
