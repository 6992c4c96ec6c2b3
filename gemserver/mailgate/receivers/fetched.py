"""Providers whose posts do not hold the whole mail: it is fetched, or read without its attachments."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urljoin

import requests
from anymail.inbound import AnymailInboundMessage
from anymail.webhooks.brevo import BrevoInboundWebhookView
from anymail.webhooks.mailtrap import MailtrapInboundWebhookView
from anymail.webhooks.resend import ResendInboundWebhookView
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from gemserver.mailgate.receivers.providers import KeepsWhatCannotBeRead

log = logging.getLogger(__name__)

PATIENCE = 10
"""Seconds that a provider may be silent; Anymail would wait for ever, and a thread of the site with it."""


class _Fetches(KeepsWhatCannotBeRead):
    """Answers 503 while the provider does not hand the mail out, so that it posts again."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            answer: HttpResponse = super().post(request, *args, **kwargs)  # type: ignore[misc]
        except requests.RequestException as error:
            log.warning("a mail could not be fetched from the provider: %s", type(error).__name__)
            return HttpResponse(status=503)
        return answer


class Brevo(KeepsWhatCannotBeRead, BrevoInboundWebhookView):  # type: ignore[misc]
    """Posts a mail in parts; its attachments are not fetched, so no key is needed (mail-requirements.md M6)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(api_key="", **kwargs)

    def _fetch_attachment(self, attachment: dict[str, Any]) -> Any:
        return AnymailInboundMessage.construct_attachment(
            content_type="application/octet-stream", content=b"", filename=str(attachment.get("Name") or "")
        )


class Mailtrap(_Fetches, MailtrapInboundWebhookView):  # type: ignore[misc]
    """The whole mail is fetched by its number."""

    def fetch_inbound_message(self, inbox_id: int, message_id: str) -> Any:
        address = f"inbound/inboxes/{quote(str(inbox_id), safe='')}/messages/{quote(message_id, safe='')}"
        return _ask(urljoin(self.api_url, address), self.api_token).json()

    def fetch_raw_message_chunks(self, raw_message_url: str) -> Iterator[bytes]:
        yield _download(raw_message_url)


class Resend(_Fetches, ResendInboundWebhookView):  # type: ignore[misc]
    """The whole mail is fetched by its number."""

    def _fetch_inbound_email(self, email_id: str) -> Any:
        found = _ask(urljoin(self.api_url, f"emails/receiving/{quote(email_id, safe='')}"), self.api_key)
        return AnymailInboundMessage.parse_raw_mime_bytes(_download(found.json()["raw"]["download_url"]))


def _ask(url: str, token: str) -> requests.Response:
    response = requests.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)
    response.raise_for_status()
    return response


def _download(url: str) -> bytes:
    """Download the content, up to one byte more than the limit for mails."""
    with requests.get(url, stream=True, timeout=PATIENCE) as response:
        response.raise_for_status()
        chunks, size = [], 0
        for chunk in response.iter_content(65536):
            chunks.append(chunk)
            size += len(chunk)
            if size > settings.MAIL_SIZE_LIMIT:
                break
    return b"".join(chunks)[: settings.MAIL_SIZE_LIMIT + 1]
