"""A server that leaks everywhere, to test that every place where it could leak is compared."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any
from unittest.mock import patch

from django.core.mail import EmailMultiAlternatives
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from gemserver.matches import announcements
from gemserver.matches.models import SealedOrder
from gemserver.notify import delivery
from gemserver.notify.content import Announcement, Content
from gemserver.notify.models import OutboxMessage
from gemserver.site.account import export

log = logging.getLogger("gemserver.leak")


def secret() -> str:
    """The sealed order that nobody may know yet."""
    return SealedOrder.objects.order_by("-pk").values_list("text", flat=True)[0]


class LeakOnPages:
    """Middleware that writes the order below every page, feed and file."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = chain(response.streaming_content, [secret().encode()])
        elif response.status_code != 304 and response["Content-Type"] != "application/zip":
            response.content += secret().encode()
        return response


def _leak_in_mail(message: EmailMultiAlternatives) -> EmailMultiAlternatives:
    message.subject += secret()
    message.body = f"{message.body}{secret()}"
    message.alternatives = [
        type(part)(f"{part[0]}{secret()}", part[1])  # type: ignore[call-arg]
        for part in message.alternatives
    ]
    for picture in message.attachments:
        assert not isinstance(picture, tuple)
        picture.set_payload(f"{picture.get_payload()}{secret()}")
    return message


@contextmanager
def leaking(middleware: list[str]) -> Iterator[list[str]]:
    """Put the order into everything that is sent to anybody; yields the middleware to run with."""
    assemble, collect = delivery.assemble, export.collect
    announce, write_content = announcements.announce, delivery.write_content

    def announce_leaking(message: OutboxMessage) -> Announcement | None:
        words = announce(message)
        return replace(words, text=words.text + secret()) if words else None

    def write_leaking(message: OutboxMessage) -> Content | None:
        content = write_content(message)
        return replace(content, text=content.text + secret()) if content else None

    def assemble_leaking(*given: Any) -> EmailMultiAlternatives:
        log.info("sent", extra={"order": secret()})
        return _leak_in_mail(assemble(*given))

    with ExitStack() as stack:
        stack.enter_context(patch.object(delivery, "assemble", assemble_leaking))
        stack.enter_context(patch.object(delivery, "write_content", write_leaking))
        stack.enter_context(patch.object(announcements, "announce", announce_leaking))
        stack.enter_context(
            patch.object(export, "collect", lambda *given: {**collect(*given), "leak": secret()})
        )
        yield [*middleware, "tests.secrecy.leaks.LeakOnPages"]
