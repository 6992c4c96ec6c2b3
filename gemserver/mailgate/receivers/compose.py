"""Composes a raw mail from the parts that a provider has split it into."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from hashlib import sha256

_NAME = re.compile(r"[!-9;-~]{1,80}")
_REPLACED = frozenset({"content-type", "content-transfer-encoding", "content-disposition", "mime-version"})


def compose(fields: Iterable[tuple[str, str]], text: str, html: str) -> bytes:
    """The mail with these header fields and bodies, without its attachments, which nobody would open.

    See mail-requirements.md M6.

    The fields are copied, not parsed, so that no field can make this fail; only those about MIME are our own. A report
    stays one, so that it is not taken for a person's mail (mail-requirements.md L3).
    """
    lines, subtype = [], "alternative"
    for name, value in fields:
        if name.lower() == "content-type" and value.strip().lower().startswith("multipart/report"):
            subtype = "report"
        if _NAME.fullmatch(name) and name.lower() not in _REPLACED:
            lines.append(f"{name}: {' '.join(value.split())}")
    # The same post again must give the same mail.
    boundary = sha256("\0".join([*lines, text, html]).encode("utf-8", "replace")).hexdigest()
    body = MIMEMultipart(subtype, boundary=boundary)
    for content, kind in ((text, "plain"), (html, "html")):
        if content:
            body.attach(MIMEText(content.encode("utf-8", "replace").decode(), kind, "utf-8"))
    return "\n".join([*lines, ""]).encode("utf-8", "replace") + body.as_bytes()
