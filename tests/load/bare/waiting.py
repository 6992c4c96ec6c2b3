"""`python -m tests.load.bare.waiting`: Django set up, and an ASGI process that keeps all who prefer to wait."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import django
import uvicorn

BODY = b'{"turns": []}'


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Keep a request that prefers to wait until its client goes."""
    if any(name == b"prefer" for name, _value in scope["headers"]):
        while (await receive())["type"] != "http.disconnect":
            await asyncio.sleep(0)
        return
    headers = [(b"content-length", str(len(BODY)).encode()), (b"etag", b'"bare"')]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})


if __name__ == "__main__":
    django.setup()
    port = int(os.environ["WAITING_PORT"])
    uvicorn.run(
        application,
        host="127.0.0.1",
        port=port,
        log_level="error",
        lifespan="off",
        backlog=2048,
        timeout_graceful_shutdown=1,
    )
