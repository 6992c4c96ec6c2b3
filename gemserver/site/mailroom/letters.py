"""Sent mails as a mail program shows them."""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from functools import cached_property
from typing import cast
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from gemserver.notify.models import OutboxMessage

_MAILTO = re.compile(r'href="(mailto:[^"]*)"')
_CID = re.compile(r'src="cid:([^"]*)"')
_HEAD = re.compile(r"<head>", re.IGNORECASE)


@dataclass(frozen=True)
class Letter:
    """One sent mail, read from its MIME text; `row.rendered` must be loaded."""

    row: OutboxMessage

    @cached_property
    def mail(self) -> EmailMessage:
        return message_from_bytes(bytes(self.row.rendered or b""), policy=policy.default)

    def header(self, name: str) -> str:
        return str(self.mail.get(name, ""))

    @property
    def subject(self) -> str:
        return self.header("Subject")

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers that a mail program shows above the text, and those that threads and filters use."""
        shown = (
            *("From", "To", "Reply-To", "Subject", "Date"),
            *("Message-ID", "In-Reply-To", "Auto-Submitted", "List-Id"),
        )
        return [(name, self.header(name)) for name in shown if self.header(name)]

    @property
    def reply_address(self) -> str:
        """The address for an answer: Reply-To, else From (RFC 5322 §3.6.3)."""
        return parseaddr(self.header("Reply-To") or self.header("From"))[1]

    @cached_property
    def text(self) -> str:
        return self._part("plain")

    @cached_property
    def html(self) -> str:
        return self._part("html")

    def _part(self, subtype: str) -> str:
        part = self.mail.get_body((subtype,))
        return str(part.get_content()) if part else ""

    @property
    def source(self) -> str:
        return bytes(self.row.rendered or b"").decode("utf-8", "replace")

    @property
    def reply_subject(self) -> str:
        return self.subject if self.subject.lower().startswith("re:") else f"Re: {self.subject}"

    def quoted(self) -> str:
        """The attribution line and the quoted text, as a mail program puts them below an answer."""
        sent = timezone.localtime(self.row.sent_at or self.row.created_at)
        lines = [f"> {line}".rstrip() for line in self.text.splitlines()]
        said = _("On %(date)s, %(sender)s wrote:") % {
            "date": formats.date_format(sent, "D, j M Y H:i"),
            "sender": self.header("From"),
        }
        return "\n".join([said, *lines])

    def html_for_display(self, reply_url: str) -> str:
        """The HTML part for a frame: pictures are inlined, links leave the frame, ready-made replies open our form."""
        images = self._images()

        def show_image(found: re.Match[str]) -> str:
            return f'src="{images.get(found[1], "")}"'

        def open_reply(found: re.Match[str]) -> str:
            return f'href="{html.escape(self._ready_reply(html.unescape(found[1]), reply_url))}"'

        shown = _MAILTO.sub(open_reply, _CID.sub(show_image, self.html))
        return _HEAD.sub('<head><base target="_top">', shown, count=1)

    def _ready_reply(self, mailto: str, reply_url: str) -> str:
        parts = urlsplit(mailto)
        body = parse_qs(parts.query).get("body", [""])[0]
        if parts.path.lower() != self.reply_address.lower():
            return mailto
        return f"{reply_url}?{urlencode({'body': body}, quote_via=quote)}#reply"

    def _images(self) -> dict[str, str]:
        """The inline pictures by Content-ID, as `data:` URLs."""
        found = {}
        for part in self.mail.walk():
            if part.get_content_maintype() == "image" and part["Content-ID"]:
                data = base64.b64encode(cast(bytes, part.get_payload(decode=True))).decode()
                found[part["Content-ID"].strip("<> ")] = f"data:{part.get_content_type()};base64,{data}"
        return found
