"""Takes the mail out of providers' posts; Anymail checks who posts.

Anymail would parse the whole mail before it says anything, which hostile mails can make slow or impossible
(mail-requirements.md M2). So if a provider offers the raw mail, its posts are read without that parser; if it has split
the mail up, the mail is composed again from its fields.
"""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from base64 import b64decode
from typing import Any

from anymail.exceptions import AnymailAPIError, AnymailConfigurationError, AnymailWebhookValidationFailure
from anymail.webhooks.amazon_ses import AmazonSESInboundWebhookView
from anymail.webhooks.mailgun import MailgunInboundWebhookView
from anymail.webhooks.postal import PostalInboundWebhookView
from anymail.webhooks.postmark import PostmarkInboundWebhookView
from anymail.webhooks.sendgrid import SendGridInboundWebhookView
from django.conf import settings
from django.http import HttpRequest, QueryDict

from gemserver.mailgate.reading.body import DECODE_ERRORS
from gemserver.mailgate.reading.charset import decode_bytes
from gemserver.mailgate.reading.header_fields import read_addresses, read_fields
from gemserver.mailgate.receivers.compose import compose
from gemserver.mailgate.receivers.handed_over import Delivery, store
from gemserver.mailgate.receivers.recipients import header_of
from gemserver.mailgate.receivers.refusing import OnlyOurTopics, RefusesUnknownForms
from gemserver.mailgate.receivers.verdicts import dkim_verdict, only_word

log = logging.getLogger(__name__)


class _StoresWhatItReads(RefusesUnknownForms, ABC):
    """Anymail's views with `read` in place of their parsers; no signal is sent."""

    @abstractmethod
    def read(self, request: HttpRequest) -> Delivery | None:
        """The mail in a post that has been checked; None if it is about something else, which Anymail deals with."""

    def parse_events(self, request: HttpRequest) -> list[Any]:
        try:
            delivery = self.read(request)
        except DECODE_ERRORS as error:
            raise AnymailWebhookValidationFailure("A post that is not of the documented form") from error
        if delivery is None:
            return super().parse_events(request)
        store(delivery, self.esp_name)  # type: ignore[attr-defined]
        return []


class KeepsWhatCannotBeRead(RefusesUnknownForms):
    """Anymail's views as they are, but a mail that breaks its parser is kept as it was posted, for a moderator."""

    def parse_events(self, request: HttpRequest) -> list[Any]:
        body = request.body
        try:
            # Skip `RefusesUnknownForms`, which would turn faults of the parser into 400.
            return list(super(RefusesUnknownForms, self).parse_events(request))  # type: ignore[misc]
        except (AnymailAPIError, AnymailConfigurationError) as error:
            raise AnymailWebhookValidationFailure("A post of another webhook") from error
        except DECODE_ERRORS:
            log.exception("a post could not be read; it is kept as a mail as it came")
            store(Delivery(body, "", []))
            return []


class _ReadsForms:
    """For posts of forms whose fields are needed as the bytes they came in."""

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        if request.content_type == "multipart/form-data":  # Django refuses it for the other kind of form
            request.encoding = "latin-1"  # a character for each byte
        super().setup(request, *args, **kwargs)  # type: ignore[misc]


def _bytes(request: HttpRequest, name: str) -> bytes:
    fields = request.POST
    if request.content_type != "multipart/form-data":
        fields = QueryDict(request.body, encoding="latin-1")
    return fields.get(name, "").encode("latin-1")


def _text(request: HttpRequest, name: str, charset: str = "utf-8") -> str:
    return decode_bytes(_bytes(request, name), charset)


class Mailgun(_ReadsForms, _StoresWhatItReads, MailgunInboundWebhookView):  # type: ignore[misc]
    """Routes that forward the mail: whole (`inbound_mime`) or in parts."""

    def read(self, request: HttpRequest) -> Delivery:
        if "body-mime" in request.POST:
            raw = _bytes(request, "body-mime")
        else:
            fields = [
                (str(name), str(value)) for name, value in json.loads(_text(request, "message-headers"))
            ]
            raw = compose(fields, _text(request, "body-plain"), _text(request, "body-html"))
        recipients = read_addresses(_text(request, "recipient"))
        return Delivery(raw, _text(request, "sender"), recipients)


class Postmark(_StoresWhatItReads, PostmarkInboundWebhookView):  # type: ignore[misc]
    """JSON, with the raw mail in it if that is switched on."""

    def read(self, request: HttpRequest) -> Delivery:
        post = json.loads(request.body)
        if post.get("RecordType", "Inbound") != "Inbound":
            raise AnymailWebhookValidationFailure("This is not Postmark's inbound webhook")
        headers = [(str(each["Name"]), str(each["Value"])) for each in post.get("Headers") or []]
        # Postmark puts it first; one further down is the sender's own.
        has_path = bool(headers) and headers[0][0].lower() == "return-path"
        sender = headers[0][1].strip("<> ") if has_path else str(post.get("From") or "")
        if "RawEmail" in post:
            raw = str(post["RawEmail"]).encode("utf-8", "surrogateescape")
        else:
            fields = [*self._addresses_of(post), *headers]
            raw = compose(fields, str(post.get("TextBody") or ""), str(post.get("HtmlBody") or ""))
        return Delivery(raw, sender, [str(post.get("OriginalRecipient") or "")])

    @staticmethod
    def _addresses_of(post: dict[str, Any]) -> list[tuple[str, str]]:
        """The fields that Postmark takes out of the header."""
        people = {
            "From": [post["FromFull"]],
            "To": post.get("ToFull") or [],
            "Cc": post.get("CcFull") or [],
        }
        fields = [
            (name, ", ".join(f"<{each['Email']}>" for each in listed if each.get("Email")))
            for name, listed in people.items()
        ]
        fields += [(name, str(post.get(name) or "")) for name in ("Subject", "Date")]
        return [(name, value) for name, value in fields if value]


class SendGrid(_ReadsForms, _StoresWhatItReads, SendGridInboundWebhookView):  # type: ignore[misc]
    """Inbound Parse: whole ("POST the raw, full MIME message") or in parts."""

    def read(self, request: HttpRequest) -> Delivery:
        if "email" in request.POST:
            raw = _bytes(request, "email")
        elif "headers" in request.POST:
            charsets = json.loads(_text(request, "charsets") or "{}")
            bodies = [_text(request, name, str(charsets.get(name, "utf-8"))) for name in ("text", "html")]
            raw = compose(read_fields(_bytes(request, "headers")).fields, bodies[0], bodies[1])
        else:
            raise KeyError("email")
        envelope = json.loads(_text(request, "envelope"))
        auth = {
            "spf": only_word([_text(request, "SPF")]),
            "dkim": dkim_verdict(_text(request, "dkim"), header_of(raw)),
        }
        if auth["dkim"] == "pass":
            auth["dmarc"] = "pass"  # RFC 7489 §4.2: an aligned signature alone is enough
        return Delivery(raw, str(envelope["from"]), [str(each) for each in envelope["to"]], auth)


class AmazonSES(OnlyOurTopics, _StoresWhatItReads, AmazonSESInboundWebhookView):  # type: ignore[misc]
    """SNS notifications of a receipt rule, with the mail in them or in a bucket of S3."""

    def read(self, request: HttpRequest) -> Delivery | None:
        notification = self._parse_sns_message(request)
        if notification["Type"] != "Notification" or not notification["Message"].startswith("{"):
            return None
        event = json.loads(notification["Message"])
        receipt = event["receipt"]
        return Delivery(
            self._raw(event, receipt["action"]),
            str(event["mail"].get("source") or "").strip("<> "),
            [str(each) for each in receipt.get("recipients") or event["mail"]["destination"]],
            {
                method: _ses_verdict(receipt.get(f"{method}Verdict", {}).get("status", ""))
                for method in ("spf", "dkim", "dmarc")
            },
        )

    def _raw(self, event: dict[str, Any], action: dict[str, Any]) -> bytes:
        if action["type"] == "S3":
            chunks, size = [], 0
            for chunk in self.fetch_s3_chunks(action["bucketName"], action["objectKey"]):
                chunks.append(chunk)
                size += len(chunk)
                if size > settings.MAIL_SIZE_LIMIT:
                    break
            return b"".join(chunks)
        content = str(event["content"])
        if action.get("encoding") == "BASE64":
            return b64decode(content)
        return content.encode("utf-8", "surrogateescape")


def _ses_verdict(status: str) -> str:
    """`pass` or `fail`; GRAY and PROCESSING_FAILED say nothing about the sender."""
    return {"PASS": "pass", "FAIL": "fail"}.get(status.upper(), "none")


class Postal(_StoresWhatItReads, PostalInboundWebhookView):  # type: ignore[misc]
    """JSON with the raw mail in it."""

    def read(self, request: HttpRequest) -> Delivery:
        post = json.loads(request.body)
        message = str(post["message"])
        raw = b64decode(message) if post.get("base64") is True else message.encode("utf-8", "surrogateescape")
        return Delivery(raw, str(post.get("mail_from") or "").strip("<> "), [str(post["rcpt_to"])])
