"""The ASGI application of the waiting process.

It answers GET like the web processes, by the same views. Where the asker knows the answer already (304) and prefers to
wait (RFC 7240 §4.3), the request is kept, without a thread, and its view is asked again when there is news: so whoever
has lost the right to an answer meanwhile gets none. When the time is over the 304 is sent that was the answer before;
the same question that comes anew at once, as an open page sends it, is kept again without asking its view.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, cast

from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.http.response import HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.http import parse_header_parameters
from django.utils.translation import gettext as _

from gemserver.lib.web import problems
from gemserver.lib.web.client_address import client_address, network_of
from gemserver.lib.web.waits import Wait, ask_again, seconds_to_wait, wait_of
from gemserver.waiting.kept import REMEMBERED, Kept, Room, TooMany
from gemserver.waiting.news import News

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

RETRY_AFTER = 30
"""Seconds until a program that keeps too many requests may ask again."""
LONG = 60
"""Seconds from which on a wait in vain saves the same question its view; one that waits less is counted each time."""
ANEW = REMEMBERED / 3
"""Seconds in which the same question must come again: news of meanwhile is still remembered then."""
UNASKED = 3600
"""Seconds after which a view is asked all the same: who has been signed out is not kept for ever."""


class Request(ASGIRequest):
    """A request without a body; a Content-Type that names no codec of Python is none."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except (LookupError, ValueError):
            self.content_type, self.content_params = "", {}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it will be sent, what it depends on, and the network that asked."""

    status: int
    headers: list[tuple[bytes, bytes]]
    content: bytes
    wait: Wait | None = None
    network: str = ""
    language: str = "en"


@dataclass(frozen=True, slots=True)
class InVain:
    """A wait that brought no news: the answer that still holds, since when, and when the view was asked for it."""

    answer: Answer
    over_at: float
    asked_at: float


class WaitingApplication:
    """Answers the requests of one process, from its start to `close`."""

    def __init__(self) -> None:
        self._handler = BaseHandler()
        self._handler.load_middleware()
        self._threads = ThreadPoolExecutor(settings.WAITING_THREADS, thread_name_prefix="answer")
        self._in_vain: dict[Hashable, InVain] = {}
        self.room = Room()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            answer = await self._answer(scope, receive)
            if answer is not None:
                await _send(answer, send)

    def close(self) -> None:
        """Answer all that are kept; for the end of the process."""
        self.room.close()

    async def _live(self, receive: Receive, send: Send) -> None:
        """Look for news from the start of the server to its end."""
        await receive()
        news = asyncio.ensure_future(News(self.room, self._threads).run())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        news.cancel()
        self.close()
        await asyncio.wait([news])
        self._threads.shutdown(wait=False, cancel_futures=True)
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Scope, receive: Receive) -> Answer | None:
        """The answer to a request; None if the asker has gone meanwhile."""
        if scope["method"] not in {"GET", "HEAD"}:
            return _to_be_sent(_elsewhere())
        began = asyncio.get_running_loop().time()
        seconds = seconds_to_wait(_field(scope, b"prefer"))
        question = _question_of(scope)
        earlier = self._in_vain.pop(question, None)
        if seconds and earlier and self.room.heard_from <= earlier.asked_at > began - UNASKED:
            answer, since, asked_at = earlier.answer, earlier.over_at, earlier.asked_at
        else:
            answer, since, asked_at = await self._ask(scope), began, began
        if not (seconds and answer.wait and answer.status == 304 and scope["method"] == "GET"):
            return answer
        try:
            with self.room.keep(answer.wait, answer.network, since) as kept:
                found = await self._keep(kept, answer, scope, receive, until=began + seconds)
        except TooMany:
            with translation.override(answer.language):
                return _to_be_sent(_too_many())
        if found is None:
            return None
        if found.status == 304 and found.wait and seconds >= LONG:
            self._note_in_vain(question, found, asked_at)
        return replace(found, headers=[*found.headers, (b"preference-applied", b"wait=%d" % seconds)])

    def _note_in_vain(self, question: Hashable, answer: Answer, asked_at: float) -> None:
        loop = asyncio.get_running_loop()
        noted = self._in_vain[question] = InVain(answer, loop.time(), asked_at)

        def forget() -> None:
            if self._in_vain.get(question) is noted:
                del self._in_vain[question]

        loop.call_later(ANEW, forget)

    async def _keep(
        self, kept: Kept, known: Answer, scope: Scope, receive: Receive, until: float
    ) -> Answer | None:
        """Wait for another answer than the `known` one, or until the time is over; None if the asker has gone."""
        gone = asyncio.ensure_future(_until_gone(receive))
        gone.add_done_callback(lambda ended: kept.wake())
        try:
            while True:
                is_woken = await kept.sleep(until)
                if gone.done():
                    return None
                if not is_woken or self.room.is_closing:
                    return known
                known = await self._ask(scope, again=True)
                if known.status != 304 or known.wait is None:
                    return known
                kept.wait = known.wait
        finally:
            gone.cancel()

    async def _ask(self, scope: Scope, *, again: bool = False) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._respond, scope, again)

    def _respond(self, scope: Scope, again: bool) -> Answer:
        """Ask the view, in a thread with a connection to the database of its own."""
        request = Request(dict(scope), io.BytesIO())
        if again:
            ask_again(request)
        signals.request_started.send(sender=type(self), scope=scope)
        response = self._handler.get_response(request)
        try:
            return _to_be_sent(response, wait_of(request), network_of(client_address(request)))
        finally:
            response.close()


def _to_be_sent(response: HttpResponseBase, wait: Wait | None = None, network: str = "") -> Answer:
    headers = [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
    headers += [(b"set-cookie", cookie.OutputString().encode()) for cookie in response.cookies.values()]
    # Files and lists come in pieces; nobody waits for one, but anybody may ask for one with "Prefer: wait".
    content = b"".join(cast("Iterable[bytes]", response))
    language = response.headers.get("Content-Language", "en")
    return Answer(response.status_code, headers, content, wait, network, language)


async def _send(answer: Answer, send: Send) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    await send({"type": "http.response.body", "body": answer.content})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _question_of(scope: Scope) -> Hashable:
    """Identify a question by all of it but how long it waits and the proxy's number for it."""
    headers = tuple(field for field in scope["headers"] if field[0] not in {b"prefer", b"x-request-id"})
    return scope["method"], scope["path"], scope["query_string"], headers


def _field(scope: Scope, name: bytes) -> str:
    return ", ".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)


def _elsewhere() -> HttpResponse:
    sentence = _("Here one only waits for news; send this request to the server's own address.")
    return problems.problem(421, "elsewhere", sentence)


def _too_many() -> HttpResponse:
    return problems.problem(
        429,
        "too-many-waiting",
        _(
            "Too many requests of this token or address wait for news already; end some, or ask without waiting."
        ),
        {"Retry-After": str(RETRY_AFTER)},
    )
