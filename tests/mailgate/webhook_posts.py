"""Posts of mail providers' inbound webhooks, as in their documentation: a mail in, a request out."""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import b64encode
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from django.http import HttpResponse
from django.test import Client

SECRET = "gem:a-long-random-password"
MAILGUN_KEY = "key-3ax6xnjp29jd6fds4gc373sgvjxteol0"
POSTAL_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
TOPIC = "arn:aws:sns:eu-west-1:123456789012:gem-inbound"

SETTINGS = {
    "WEBHOOK_SECRET": SECRET,
    "MAILGUN_WEBHOOK_SIGNING_KEY": MAILGUN_KEY,
    "POSTAL_WEBHOOK_KEY": "".join(
        POSTAL_KEY.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode()
        .splitlines()[1:-1]
    ),
}


def client(secret: str = SECRET) -> Client:
    """A client with the basic-auth secret, unless another is given; answers 500 where a server would."""
    return Client(
        raise_request_exception=False, HTTP_AUTHORIZATION=f"Basic {b64encode(secret.encode()).decode()}"
    )


def _parts(raw: bytes) -> tuple[list[list[str]], str, str]:
    """Header fields, text and HTML of a mail, as providers split it."""
    mail = message_from_bytes(raw, policy=policy.default)
    assert isinstance(mail, EmailMessage)
    bodies = [mail.get_body((kind,)) for kind in ("plain", "html")]
    text, html = (body.get_content() if body else "" for body in bodies)
    return [[name, str(value)] for name, value in mail.items()], text, html


def mailgun(
    to: str,
    raw: bytes,
    *,
    sender: str = "ana@example.org",
    mime: bool = True,
    key: str = MAILGUN_KEY,
    by: Client | None = None,
    **more: str,
) -> HttpResponse:
    token, timestamp = "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0", "1741262400"
    post = {
        "recipient": to,
        "sender": sender,
        "from": "Ana <ana@example.org>",
        "subject": "Re: a match",
        "timestamp": timestamp,
        "token": token,
        "signature": hmac.new(key.encode(), f"{timestamp}{token}".encode(), hashlib.sha256).hexdigest(),
        **more,
    }
    if mime:
        post["body-mime"] = raw.decode("utf-8", "surrogateescape")
    else:
        headers, text, html = _parts(raw)
        post |= {"message-headers": json.dumps(headers), "body-plain": text, "body-html": html}
        post |= {"stripped-text": text, "stripped-signature": ""}
    path = "/anymail/mailgun/inbound_mime/" if mime else "/anymail/mailgun/inbound/"
    return (by or client()).post(path, post)


def postmark(
    to: str,
    raw: bytes,
    *,
    sender: str = "ana@example.org",
    with_raw: bool = True,
    by: Client | None = None,
    **more: Any,
) -> HttpResponse:
    headers, text, html = _parts(raw)
    taken = {"from", "to", "cc", "subject", "date"}
    fields = [{"Name": name, "Value": value} for name, value in headers if name.lower() not in taken]
    by_name = {name.lower(): value for name, value in headers}
    post = {
        "FromName": "Ana",
        "MessageStream": "inbound",
        "From": "ana@example.org",
        "FromFull": {"Email": "ana@example.org", "Name": "Ana", "MailboxHash": ""},
        "To": f'"Gem server" <{to}>',
        "ToFull": [
            {"Email": to, "Name": "Gem server", "MailboxHash": to.partition("+")[2].partition("@")[0]}
        ],
        "Cc": "",
        "CcFull": [],
        "Bcc": "",
        "BccFull": [],
        "OriginalRecipient": to,
        "Subject": by_name.get("subject", ""),
        "MessageID": "73e6d360-66eb-11e1-8e72-a8904824019b",
        "ReplyTo": "",
        "MailboxHash": "",
        "Date": by_name.get("date", "Fri, 6 Mar 2026 13:00:00 +0100"),
        "TextBody": text,
        "HtmlBody": html,
        "StrippedTextReply": text.partition("\n")[0],
        "Tag": "",
        "Headers": [
            {"Name": "Return-Path", "Value": f"<{sender}>"},
            {"Name": "Received-SPF", "Value": "Pass (sender SPF authorized) identity=mailfrom;"},
            {"Name": "X-Spam-Status", "Value": "No"},
            *fields,
        ],
        "Attachments": [],
        **more,
    }
    if with_raw:
        post["RawEmail"] = raw.decode("utf-8", "surrogateescape")
    return (by or client()).post(
        "/anymail/postmark/inbound/", json.dumps(post), content_type="application/json"
    )


def sendgrid(
    *to: str,
    raw: bytes,
    sender: str = "ana@example.org",
    whole: bool = True,
    by: Client | None = None,
    **more: str,
) -> HttpResponse:
    post = {
        "dkim": "{@example.org : pass}",
        "SPF": "pass",
        "envelope": json.dumps({"to": list(to), "from": sender}),
        "charsets": json.dumps({"to": "UTF-8", "subject": "UTF-8", "from": "UTF-8", "text": "utf-8"}),
        "sender_ip": "192.0.2.1",
        "to": ", ".join(to),
        "from": "Ana <ana@example.org>",
        "subject": "Re: a match",
        **more,
    }
    if whole:
        post["email"] = raw.decode("utf-8", "surrogateescape")
    else:
        headers, text, html = _parts(raw)
        post["headers"] = "".join(f"{name}: {value}\n" for name, value in headers)
        post |= {"text": text, "html": html, "attachments": "0"}
    return (by or client()).post("/anymail/sendgrid/inbound/", post)


def amazon_ses(
    *to: str,
    raw: bytes,
    sender: str = "ana@example.org",
    encoding: str = "BASE64",
    dmarc: str = "PASS",
    topic: str = TOPIC,
    by: Client | None = None,
) -> HttpResponse:
    content = b64encode(raw).decode() if encoding == "BASE64" else raw.decode()
    event = {
        "notificationType": "Received",
        "mail": {
            "timestamp": "2026-03-06T12:00:00.000Z",
            "source": sender,
            "messageId": "d6iitobk75ur44p8kdnnp7g2n800",
            "destination": list(to),
            "headersTruncated": False,
            "headers": [],
            "commonHeaders": {"from": ["Ana <ana@example.org>"], "to": list(to), "subject": "Re: a match"},
        },
        "receipt": {
            "timestamp": "2026-03-06T12:00:00.000Z",
            "processingTimeMillis": 222,
            "recipients": list(to),
            "spamVerdict": {"status": "PASS"},
            "virusVerdict": {"status": "PASS"},
            "spfVerdict": {"status": "PASS"},
            "dkimVerdict": {"status": "GRAY"},
            "dmarcVerdict": {"status": dmarc},
            "action": {"type": "SNS", "topicArn": topic, "encoding": encoding},
        },
        "content": content,
    }
    return sns("Notification", json.dumps(event), topic=topic, by=by)


def sns(
    kind: str, message: str, *, topic: str = TOPIC, by: Client | None = None, **more: str
) -> HttpResponse:
    """A message of Amazon's notification service; Anymail does not check its signature."""
    post = {
        "Type": kind,
        "MessageId": "8f6dee70-c885-558a-be7d-bd48bbf5335e",
        "TopicArn": topic,
        "Subject": "Amazon SES Email Receipt Notification",
        "Message": message,
        "Timestamp": "2026-03-06T12:00:01.000Z",
        "SignatureVersion": "1",
        "Signature": "EXAMPLE",
        "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-x.pem",
        **more,
    }
    return (by or client()).post(
        "/anymail/amazon_ses/inbound/",
        json.dumps(post),
        content_type="text/plain; charset=UTF-8",
        HTTP_X_AMZ_SNS_MESSAGE_TYPE=kind,
        HTTP_X_AMZ_SNS_MESSAGE_ID=post["MessageId"],
    )


def postal(
    to: str,
    raw: bytes,
    *,
    sender: str = "ana@example.org",
    key: rsa.RSAPrivateKey = POSTAL_KEY,
    by: Client | None = None,
) -> HttpResponse:
    post = {
        "id": 233980,
        "rcpt_to": to,
        "mail_from": sender,
        "message": b64encode(raw).decode(),
        "base64": True,
        "size": str(len(raw)),
    }
    body = json.dumps(post).encode()
    signature = b64encode(key.sign(body, padding.PKCS1v15(), hashes.SHA1())).decode()
    return (by or client()).post(
        "/anymail/postal/inbound/", body, content_type="application/json", HTTP_X_POSTAL_SIGNATURE=signature
    )
