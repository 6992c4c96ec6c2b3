"""Posts of each provider as in its documentation, signed with the secrets that docs/operating.md names."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlencode

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from django.utils import timezone
from svix.webhooks import Webhook

from tests.mailgate import webhook_posts as posts

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
RAW = (
    b"From: Ana <ana@example.org>\r\nTo: play@gem.localhost\r\nSubject: Re: a match\r\n"
    b"Message-ID: <1@client.example.org>\r\n\r\nhelp\r\n"
)
ANA = "ana@example.org"
FIELDS = {"From": "Ana <ana@example.org>", "To": "play@gem.localhost", "Message-ID": "<1@client.example.org>"}
BASE = "https://testserver"

SECRETS = {
    "ANYMAIL_WEBHOOK_SECRET": posts.SECRET,
    "ANYMAIL_MAILERSEND_INBOUND_SECRET": "mailersend-inbound",
    "ANYMAIL_MAILERSEND_SIGNING_SECRET": "mailersend-signing",
    "ANYMAIL_MAILGUN_WEBHOOK_SIGNING_KEY": posts.MAILGUN_KEY,
    "ANYMAIL_MAILTRAP_INBOUND_SECRET": "mailtrap-inbound",
    "ANYMAIL_MAILTRAP_TRACKING_SECRET": "mailtrap-tracking",
    "ANYMAIL_MAILTRAP_API_TOKEN": "mailtrap-token",
    "ANYMAIL_MANDRILL_WEBHOOK_KEY": "mandrill-key",
    "ANYMAIL_POSTAL_WEBHOOK_KEY": posts.SETTINGS["POSTAL_WEBHOOK_KEY"],
    "ANYMAIL_RESEND_INBOUND_SECRET": "whsec_" + b64encode(b"resend inbound secret 24").decode(),
    "ANYMAIL_RESEND_SIGNING_SECRET": "whsec_" + b64encode(b"resend signing secret 24").decode(),
    "ANYMAIL_RESEND_API_KEY": "re_key",
}
"""Values of the documented variables, as an operator would set them."""
STRANGERS = {
    name: "whsec_" + b64encode(b"somebody else's secret 1").decode() if "RESEND" in name else f"{value}:no"
    for name, value in SECRETS.items()
}
STRANGERS_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)

Headers = Mapping[str, str]
Signer = Callable[[bytes, Mapping[str, str]], Headers]


@dataclass(frozen=True, slots=True)
class Documented:
    """One address of a provider: a body as it posts it, and the proof of its sender."""

    body: bytes
    sign: Signer
    content_type: str = JSON


def _basic(body: bytes, secrets: Mapping[str, str]) -> Headers:
    return {"Authorization": f"Basic {b64encode(secrets['ANYMAIL_WEBHOOK_SECRET'].encode()).decode()}"}


def _sns(body: bytes, secrets: Mapping[str, str]) -> Headers:
    named = {"X-Amz-Sns-Message-Type": "Notification", "X-Amz-Sns-Message-Id": "m1"}
    return {**_basic(body, secrets), **named}


def _hex(header: str, name: str) -> Signer:
    def sign(body: bytes, secrets: Mapping[str, str]) -> Headers:
        return {header: hmac.new(secrets[name].encode(), body, hashlib.sha256).hexdigest()}

    return sign


def _mandrill(body: bytes, secrets: Mapping[str, str]) -> Headers:
    from django.http import QueryDict

    fields = QueryDict(body).dict()
    results = {}
    for path in ("inbound", "tracking"):
        text = f"http://testserver/anymail/mandrill/{path}/" + "".join(
            name + fields[name] for name in sorted(fields)
        )
        key = secrets["ANYMAIL_MANDRILL_WEBHOOK_KEY"].encode()
        results[path] = b64encode(hmac.new(key, text.encode(), hashlib.sha1).digest()).decode()
    return {"X-Mandrill-Signature": results["inbound"], "X-For-Tracking": results["tracking"]}


def _postal(body: bytes, secrets: Mapping[str, str]) -> Headers:
    key = posts.POSTAL_KEY if secrets is SECRETS else STRANGERS_RSA
    return {"X-Postal-Signature": b64encode(key.sign(body, padding.PKCS1v15(), hashes.SHA1())).decode()}


def _svix(name: str) -> Signer:
    def sign(body: bytes, secrets: Mapping[str, str]) -> Headers:
        now = timezone.now()
        signature = Webhook(secrets[name]).sign("msg_1", now, body.decode("latin-1"))
        return {"svix-id": "msg_1", "svix-timestamp": str(int(now.timestamp())), "svix-signature": signature}

    return sign


def _mailgun_signed(key: str) -> dict[str, str]:
    digest = hmac.new(key.encode(), b"1741262400token", hashlib.sha256).hexdigest()
    return {"timestamp": "1741262400", "token": "token", "signature": digest}


def _nothing(body: bytes, secrets: Mapping[str, str]) -> Headers:
    return {}


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()


def _notification(event: Any) -> bytes:
    post = {"Type": "Notification", "MessageId": "m1", "TopicArn": posts.TOPIC, "Message": json.dumps(event)}
    return _json(post)


_SES_MAIL = {"messageId": "0102", "source": ANA, "destination": [ANA]}
_SES_RECEIPT = {"recipients": [ANA], "action": {"type": "SNS", "encoding": "BASE64"}}
_DELIVERY = {"recipients": [ANA], "timestamp": "2026-03-06T12:00:00.000Z"}
_MAILGUN = _mailgun_signed(posts.MAILGUN_KEY)

INBOUND: dict[str, Documented] = {
    "amazon_ses": Documented(
        _notification(
            {
                "notificationType": "Received",
                "mail": _SES_MAIL,
                "receipt": _SES_RECEIPT,
                "content": b64encode(RAW).decode(),
            }
        ),
        _sns,
        "text/plain",
    ),
    "brevo": Documented(
        _json(
            {
                "items": [
                    {
                        "Uuid": ["8d79f2"],
                        "Headers": FIELDS,
                        "RawTextBody": "help",
                        "Attachments": [
                            {"Name": "a.pdf", "ContentType": "application/pdf", "DownloadToken": "t"}
                        ],
                    }
                ]
            }
        ),
        _basic,
    ),
    "mailersend": Documented(
        _json(
            {
                "type": "inbound.message",
                "data": {
                    "id": "1",
                    "raw": RAW.decode(),
                    "sender": {"email": ANA},
                    "recipients": {"rcptTo": [{"email": "play@gem.localhost"}]},
                },
            }
        ),
        _hex("Signature", "ANYMAIL_MAILERSEND_INBOUND_SECRET"),
    ),
    "mailgun": Documented(
        urlencode(
            {**_MAILGUN, "recipient": "play@gem.localhost", "sender": ANA, "body-mime": RAW.decode()}
        ).encode(),
        _nothing,
        FORM,
    ),
    "mailjet": Documented(
        _json(
            {
                "Sender": ANA,
                "Recipient": "play@gem.localhost",
                "Headers": FIELDS,
                "Text-part": "help",
                "Parts": [],
            }
        ),
        _basic,
    ),
    "mailtrap": Documented(
        _json({"events": [{"event": "inbound.message_received", "inbox_id": 7, "message_id": "m1"}]}),
        _hex("Mailtrap-Signature", "ANYMAIL_MAILTRAP_INBOUND_SECRET"),
    ),
    "mandrill": Documented(
        urlencode(
            {
                "mandrill_events": json.dumps(
                    [
                        {
                            "event": "inbound",
                            "ts": 1741262400,
                            "msg": {"raw_msg": RAW.decode(), "email": "play@gem.localhost", "sender": None},
                        }
                    ]
                )
            }
        ).encode(),
        _mandrill,
        FORM,
    ),
    "postal": Documented(
        _json(
            {
                "rcpt_to": "play@gem.localhost",
                "mail_from": ANA,
                "message": b64encode(RAW).decode(),
                "base64": True,
            }
        ),
        _postal,
    ),
    "postmark": Documented(
        _json(
            {
                "OriginalRecipient": "play@gem.localhost",
                "From": ANA,
                "FromFull": {"Email": ANA},
                "Headers": [{"Name": "Return-Path", "Value": f"<{ANA}>"}],
                "RawEmail": RAW.decode(),
            }
        ),
        _basic,
    ),
    "resend": Documented(
        _json({"type": "email.received", "created_at": "2026-03-06T12:00:00Z", "data": {"email_id": "e1"}}),
        _svix("ANYMAIL_RESEND_INBOUND_SECRET"),
    ),
    "sendgrid": Documented(
        urlencode(
            {"envelope": json.dumps({"to": ["play@gem.localhost"], "from": ANA}), "email": RAW.decode()}
        ).encode(),
        _basic,
        FORM,
    ),
    "sparkpost": Documented(
        _json(
            [
                {
                    "msys": {
                        "relay_message": {
                            "content": {"email_rfc822": RAW.decode(), "email_rfc822_is_base64": False},
                            "protocol": "smtp",
                            "msg_from": ANA,
                            "rcpt_to": "play@gem.localhost",
                        }
                    }
                }
            ]
        ),
        _basic,
    ),
}

TRACKING: dict[str, Documented] = {
    "amazon_ses": Documented(
        _notification({"notificationType": "Delivery", "mail": _SES_MAIL, "delivery": _DELIVERY}),
        _sns,
        "text/plain",
    ),
    "brevo": Documented(
        _json({"event": "delivered", "email": ANA, "message-id": "<1@x>", "ts_epoch": 1741262400000}), _basic
    ),
    "mailersend": Documented(
        _json(
            {
                "type": "activity.delivered",
                "created_at": "2026-03-06T12:00:00.000000Z",
                "data": {
                    "id": "1",
                    "type": "delivered",
                    "email": {"recipient": {"email": ANA}, "message": {"id": "m"}},
                },
            }
        ),
        _hex("Signature", "ANYMAIL_MAILERSEND_SIGNING_SECRET"),
    ),
    "mailgun": Documented(
        _json(
            {
                "signature": _MAILGUN,
                "event-data": {"event": "delivered", "recipient": ANA, "timestamp": 1741262400.5},
            }
        ),
        _nothing,
    ),
    "mailjet": Documented(
        _json([{"event": "sent", "time": 1741262400, "MessageID": 19421777835146490, "email": ANA}]), _basic
    ),
    "mailtrap": Documented(
        _json(
            {
                "events": [
                    {
                        "event": "delivery",
                        "message_id": "m1",
                        "sending_stream": "transactional",
                        "email": ANA,
                        "timestamp": 1741262400,
                        "event_id": "e1",
                    }
                ]
            }
        ),
        _hex("Mailtrap-Signature", "ANYMAIL_MAILTRAP_TRACKING_SECRET"),
    ),
    "mandrill": Documented(
        urlencode(
            {
                "mandrill_events": json.dumps(
                    [{"event": "send", "_id": "1", "ts": 1741262400, "msg": {"email": ANA, "_id": "1"}}]
                )
            }
        ).encode(),
        _mandrill,
        FORM,
    ),
    "postal": Documented(
        _json(
            {
                "event": "MessageSent",
                "timestamp": 1741262400.5,
                "uuid": "0fcc8dc0",
                "payload": {
                    "status": "Sent",
                    "message": {"id": 1, "message_id": "x@y", "to": ANA},
                    "details": "sent",
                    "output": "250",
                },
            }
        ),
        _postal,
    ),
    "postmark": Documented(
        _json(
            {
                "RecordType": "Delivery",
                "MessageID": "1",
                "Recipient": ANA,
                "DeliveredAt": "2026-03-06T12:00:00Z",
            }
        ),
        _basic,
    ),
    "resend": Documented(
        _json(
            {
                "type": "email.delivered",
                "created_at": "2026-03-06T12:00:00.000Z",
                "data": {"email_id": "e1", "to": [ANA], "from": "play@gem.localhost", "subject": "x"},
            }
        ),
        _svix("ANYMAIL_RESEND_SIGNING_SECRET"),
    ),
    "sendgrid": Documented(
        _json([{"event": "delivered", "email": ANA, "timestamp": 1741262400, "sg_event_id": "1"}]), _basic
    ),
    "sparkpost": Documented(
        _json(
            [
                {
                    "msys": {
                        "message_event": {
                            "type": "delivery",
                            "rcpt_to": ANA,
                            "raw_rcpt_to": ANA,
                            "timestamp": "1741262400",
                            "transmission_id": "1",
                            "event_id": "2",
                        }
                    }
                }
            ]
        ),
        _basic,
    ),
}


@contextmanager
def provider_api() -> Iterator[str]:
    """An API like those of Mailtrap and Resend, which hands mails out to callers with the token; yields its address."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            raw = self.path == "/raw"
            known = self.headers.get("Authorization") in {"Bearer mailtrap-token", "Bearer re_key"}
            self.send_response(200 if raw or known else 401)
            self.end_headers()
            where = f"http://127.0.0.1:{self.server.server_address[1]}/raw"
            self.wfile.write(
                RAW if raw else _json({"raw_message_url": where, "raw": {"download_url": where}})
            )

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
