"""Mail that providers post: stored as it came before 200, never lost, never taken from a stranger.

See mail-requirements.md I1.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client

from gemserver.checks import check_configuration
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.parse import parse
from gemserver.mailgate.receivers import handed_over
from gemserver.mailgate.receivers.compose import compose
from gemserver.mailgate.receivers.provider_table import PROVIDERS
from gemserver.mailgate.receivers.webhooks import unguarded_providers
from gemserver.matches.models import Move, Seat
from tests.builders import make_match, make_user
from tests.mailgate import webhook_posts as posts
from tests.mailgate.documented_posts import SECRETS

Post = Callable[..., HttpResponse]
ANA_BEGINS = "22" * 32

WHOLE: dict[str, Post] = {
    "mailgun": lambda to, raw, **more: posts.mailgun(to, raw, **more),
    "postmark": lambda to, raw, **more: posts.postmark(to, raw, **more),
    "sendgrid": lambda to, raw, **more: posts.sendgrid(to, raw=raw, **more),
    "amazon_ses": lambda to, raw, **more: posts.amazon_ses(to, raw=raw, **more),
    "postal": lambda to, raw, **more: posts.postal(to, raw, **more),
}
TAKEN_APART: dict[str, Post] = {
    "mailgun": lambda to, raw, **more: posts.mailgun(to, raw, mime=False, **more),
    "postmark": lambda to, raw, **more: posts.postmark(to, raw, with_raw=False, **more),
    "sendgrid": lambda to, raw, **more: posts.sendgrid(to, raw=raw, whole=False, **more),
}
every_provider = pytest.mark.parametrize("post", WHOLE.values(), ids=WHOLE)
every_way = pytest.mark.parametrize(
    "post",
    [*WHOLE.values(), *TAKEN_APART.values()],
    ids=[*WHOLE, *(f"{name} taken apart" for name in TAKEN_APART)],
)


@pytest.fixture(autouse=True)
def listening(settings) -> None:
    settings.MAIL_WEBHOOKS = list(WHOLE)
    settings.ANYMAIL = posts.SETTINGS


@pytest.fixture
def seat(db) -> Seat:
    match = make_match(players=[make_user("ana"), make_user("ben")], server_part=ANA_BEGINS)
    return Seat.objects.get(match=match, index=0)


def mail(seat: Seat, text: str = "bid 1", **fields: str) -> bytes:
    header = {
        "From": "Ana <ana@example.org>",
        "To": f"Gem server <{seat.reply_address}>",
        "Subject": "Re: a match",
        "Date": "Fri, 6 Mar 2026 13:00:00 +0100",
        "Message-ID": "<1@client.example.org>",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    return (
        "".join(f"{name}: {value}\r\n" for name, value in header.items()).encode()
        + f"\r\n{text}\r\n".encode()
    )


@every_provider
def test_a_whole_mail_is_stored_as_it_came(post: Post, seat) -> None:
    raw = mail(seat, "bid 1\r\n\r\nMerci, à bientôt")
    assert post(seat.reply_address, raw).status_code == 200
    stored = InboundEmail.objects.get()
    assert bytes(stored.raw) == raw
    assert (stored.envelope_from, stored.envelope_to, stored.source) == (
        "ana@example.org",
        seat.reply_address,
        "webhook",
    )


@every_way
def test_a_posted_mail_moves(post: Post, seat) -> None:
    assert post(seat.reply_address, mail(seat, "bid 1\r\n\r\nMerci, à bientôt")).status_code == 200
    processing.process_stored()
    assert InboundEmail.objects.get().state == InboundEmail.State.DONE
    assert Move.objects.get(match=seat.match, source=Move.Source.MAIL).text == "bid 1"


@every_way
def test_the_text_reads_the_same_taken_apart_or_whole(post: Post, seat) -> None:
    post(seat.reply_address, mail(seat, "say Žluťoučký kůň\r\n\r\n> quoted"))
    read = parse(bytes(InboundEmail.objects.get().raw))
    assert read.text.split() == ["say", "Žluťoučký", "kůň", ">", "quoted"]
    assert (read.from_addresses, read.message_id) == (("ana@example.org",), "1@client.example.org")


@every_way
def test_the_same_post_again_is_no_second_mail(post: Post, seat) -> None:
    for _ in range(3):
        assert post(seat.reply_address, mail(seat)).status_code == 200
    assert InboundEmail.objects.get().copies == 3


@every_way
def test_a_database_error_makes_the_provider_try_again(post: Post, seat, monkeypatch) -> None:
    def fail(*args: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(handed_over, "ingest", fail)
    assert post(seat.reply_address, mail(seat)).status_code == 500
    monkeypatch.undo()
    assert post(seat.reply_address, mail(seat)).status_code == 200
    assert InboundEmail.objects.count() == 1


@every_way
def test_a_bounce_keeps_its_empty_sender(post: Post, seat) -> None:
    post(seat.reply_address, mail(seat), sender="")
    assert InboundEmail.objects.get().envelope_from == ""


@every_way
def test_mail_for_nobody_here_is_kept_without_an_answer(post: Post, seat, mailoutbox) -> None:
    """mail-requirements.md L9: no backscatter, yet nothing is lost."""
    nobody = "play+abcdefghijklmnopqrstuvwx27@gem.localhost"
    raw = mail(seat, To=nobody)
    assert post(nobody, raw).status_code == 200
    processing.process_stored()
    stored = InboundEmail.objects.get()
    assert (stored.envelope_to, stored.state) == (nobody, InboundEmail.State.DROPPED)


def nested(depth: int) -> bytes:
    return b"Content-Type: message/rfc822\r\n\r\n" * depth


HOSTILE = {
    "nested": lambda seat: mail(seat).replace(b"text/plain; charset=utf-8", b"message/rfc822") + nested(3000),
    "comments": lambda seat: mail(seat, Reply_To="(" * 5000),
    "angles": lambda seat: mail(seat, References="<" * 3000),
    "no charset": lambda seat: mail(seat).replace(b"utf-8", b"x-unknown-17"),
    "bad address": lambda seat: mail(seat, To="<<@@>;:,"),
    "no header": lambda seat: b"\r\n\r\n\x00\x01\x02",
    "empty": lambda seat: b"",
}


@pytest.mark.slow
@every_provider
@pytest.mark.parametrize("bomb", HOSTILE.values(), ids=HOSTILE)
def test_junk_is_taken_and_does_no_harm(post: Post, bomb: Callable[[Seat], bytes], seat) -> None:
    """mail-requirements.md threat 10; if it broke the library's own parser, it would be posted again for hours."""
    if post is WHOLE["postmark"]:  # the helper that splits the mail for the post fails itself
        response = posts.postmark(seat.reply_address, mail(seat), RawEmail=bomb(seat).decode())
    else:
        response = post(seat.reply_address, bomb(seat))
    assert response.status_code == 200
    processing.process_stored()
    assert InboundEmail.objects.get().state != InboundEmail.State.STORED


@pytest.mark.parametrize(
    "headers", [[["Reply-To", "(" * 5000], ["From", "ana@example.org"]], [["", ""], ["X Y", "a\nBcc: b"]]]
)
def test_fields_that_break_parsers_are_only_copied(headers: list[list[str]], seat) -> None:
    post = posts.mailgun(seat.reply_address, mail(seat), mime=False, **{"message-headers": "[]"})
    assert post.status_code == 200
    raw = compose([(name, value) for name, value in headers], "bid 1", "")
    assert b"\nBcc:" not in raw
    assert parse(raw).text.strip() == "bid 1"


# --- Who posts (mail-requirements.md threats 8, 9) ------------------------------------------------


@pytest.mark.parametrize("name", ["postmark", "sendgrid", "amazon_ses", "mailgun"])
@pytest.mark.parametrize("secret", ["gem:wrong", ":", "no-password"])
def test_a_wrong_password_is_refused(name: str, secret: str, seat) -> None:
    assert WHOLE[name](seat.reply_address, mail(seat), by=posts.client(secret)).status_code == 400
    assert not InboundEmail.objects.exists()


@pytest.mark.parametrize("name", ["postmark", "sendgrid", "mailgun"])
def test_no_password_is_refused(name: str, seat) -> None:
    anonymous = Client(raise_request_exception=False)
    assert WHOLE[name](seat.reply_address, mail(seat), by=anonymous).status_code == 400
    assert not InboundEmail.objects.exists()


def test_sns_is_asked_for_the_password_which_it_sends_only_then(seat) -> None:
    anonymous = Client(raise_request_exception=False)
    response = posts.amazon_ses(seat.reply_address, raw=mail(seat), by=anonymous)
    assert (response.status_code, response.has_header("WWW-Authenticate")) == (401, True)
    assert not InboundEmail.objects.exists()


def test_a_forged_signature_is_refused(seat) -> None:
    raw = mail(seat)
    assert posts.mailgun(seat.reply_address, raw, key="key-of-somebody-else").status_code == 400
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert posts.postal(seat.reply_address, raw, key=stranger).status_code == 400
    assert not InboundEmail.objects.exists()


def test_signatures_are_enough_where_no_password_is_set(seat, settings) -> None:
    settings.ANYMAIL = {name: value for name, value in posts.SETTINGS.items() if name != "WEBHOOK_SECRET"}
    anonymous = Client(raise_request_exception=False)
    assert posts.mailgun(seat.reply_address, mail(seat), by=anonymous).status_code == 200
    assert posts.postal(seat.reply_address, mail(seat, Message_ID="<2@x.y>"), by=anonymous).status_code == 200
    assert InboundEmail.objects.count() == 2
    for post in (WHOLE["postmark"], WHOLE["sendgrid"], WHOLE["amazon_ses"]):  # their posts are not signed
        assert post(seat.reply_address, mail(seat), by=anonymous).status_code == 404


def test_a_topic_of_somebody_else_is_refused(seat, settings) -> None:
    """mail-requirements.md threat 9: anybody with an account at Amazon can make it post here."""
    settings.SES_TOPICS = [posts.TOPIC]
    theirs = "arn:aws:sns:eu-west-1:999999999999:theirs"
    assert posts.amazon_ses(seat.reply_address, raw=mail(seat), topic=theirs).status_code == 400
    assert not InboundEmail.objects.exists()
    assert posts.amazon_ses(seat.reply_address, raw=mail(seat)).status_code == 200


def test_the_first_notification_of_a_topic_is_no_mail(seat) -> None:
    sentence = "Successfully validated SNS topic for Amazon SES event publishing."
    assert posts.sns("Notification", sentence).status_code == 200
    assert not InboundEmail.objects.exists()


def test_only_the_providers_that_are_named_are_listened_to(seat, settings) -> None:
    settings.MAIL_WEBHOOKS = ["postal"]
    assert posts.mailgun(seat.reply_address, mail(seat)).status_code == 404
    assert posts.client().post("/anymail/nobody/inbound/").status_code == 404


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"[" * 50_000, b'{"Type": 3}', b"\xff\xfe", b"null"])
def test_a_post_of_another_form_is_a_bad_request(name: str, body: bytes, db) -> None:
    response = posts.client().post(f"/anymail/{name}/inbound/", body, content_type="application/json")
    assert response.status_code == 400
    assert not InboundEmail.objects.exists()


# --- Envelopes and verdicts -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sendgrid", "amazon_ses"])
def test_every_recipient_of_ours_gets_the_mail(name: str, seat) -> None:
    other = Seat.objects.get(match=seat.match, index=1)
    to = (seat.reply_address, "friend@example.net", other.reply_address)
    assert getattr(posts, name)(*to, raw=mail(seat)).status_code == 200
    assert set(InboundEmail.objects.values_list("envelope_to", flat=True)) == {to[0], to[2]}


def test_without_an_envelope_the_header_says_for_whom_it_is(seat) -> None:
    posts.postmark(seat.reply_address, mail(seat), OriginalRecipient="")
    assert InboundEmail.objects.get().envelope_to == seat.reply_address


@pytest.mark.parametrize(
    ("verdict", "kept"), [("PASS", "pass"), ("FAIL", "fail"), ("GRAY", "none"), ("PROCESSING_FAILED", "none")]
)
def test_what_amazon_says_of_the_sender_is_kept(verdict: str, kept: str, seat) -> None:
    posts.amazon_ses(seat.reply_address, raw=mail(seat), dmarc=verdict)
    auth = InboundEmail.objects.get().auth
    assert (auth["spf"], auth["dkim"], auth["dmarc"]) == ("pass", "none", kept)


@pytest.mark.parametrize(
    ("signatures", "is_proof"),
    [
        ("{@example.org : pass}", True),
        ("{@list.example.net : pass, @EXAMPLE.org : pass}", True),
        ("{@example.org : fail}", False),
        ("{@example.net : pass}", False),
        ("{@org : pass}", False),
        ("{@ple.org : pass}", False),
        ("none", False),
        ("{@example.org : pass, @example.org : fail}", False),
        ("{@example.org : pass : fail}", False),
        ("{@evil.example : fail, @example.org : pass, @x : }", False),
    ],
)
def test_a_signature_of_the_authors_domain_proves_the_sender(signatures: str, is_proof: bool, seat) -> None:
    posts.sendgrid(seat.reply_address, raw=mail(seat), dkim=signatures)
    assert (InboundEmail.objects.get().auth.get("dmarc") == "pass") is is_proof


@pytest.mark.parametrize(
    ("domain", "proof"), [("example.org", "pass"), ("evil.example : fail, @example.org", "none")]
)
def test_the_domain_of_a_signature_is_no_verdict(domain: str, proof: str, seat) -> None:
    """SendGrid writes the domain that a signature claims, which its sender has chosen, beside the verdict."""
    signed = mail(seat, **{"DKIM-Signature": f"v=1; d={domain}; s=s; h=from; b=x"})
    posts.sendgrid(seat.reply_address, raw=signed, dkim="{@evil.example : fail, @example.org : pass}")
    assert InboundEmail.objects.get().auth["dmarc"] == proof


@pytest.mark.parametrize("name", ["mailgun", "postmark"])
def test_verdicts_that_stand_in_the_mail_itself_prove_nothing(name: str, seat, settings) -> None:
    """mail-requirements.md threat 7: its sender could have written them."""
    forged = {
        "X-Mailgun-Spf": "Pass",
        "X-Mailgun-Dkim-Check-Result": "Pass",
        "X-Spam-Tests": "DKIM_VALID_AU",
        "Authentication-Results": "mx.example.org; dmarc=pass",
    }
    settings.MAIL_AUTHSERV_ID = "mx.example.org"
    WHOLE[name](seat.reply_address, mail(seat, **forged))
    assert set(InboundEmail.objects.get().auth.values()) == {"none"}


def test_a_forged_sender_is_not_believed(seat, settings) -> None:
    """mail-requirements.md S3: DMARC says that the mail is not Ana's."""
    settings.MAIL_AUTH = "normal"
    posts.amazon_ses(seat.reply_address, raw=mail(seat), dmarc="FAIL")
    processing.process_stored()
    assert InboundEmail.objects.get().code == "forged"
    assert not Move.objects.filter(source=Move.Source.MAIL).exists()


# --- Providers whose posts Anymail reads ----------------------------------------------------------


@pytest.fixture
def sparkpost(settings) -> Callable[[str, bytes], HttpResponse]:
    settings.MAIL_WEBHOOKS = ["sparkpost"]

    def post(to: str, raw: bytes) -> HttpResponse:
        relay = {
            "content": {"email_rfc822": b64encode(raw).decode(), "email_rfc822_is_base64": True},
            "friendly_from": "ana@example.org",
            "msg_from": "ana@example.org",
            "protocol": "smtp",
            "rcpt_to": to,
            "webhook_id": "4839201967643219",
        }
        body = json.dumps([{"msys": {"relay_message": relay}}])
        return posts.client().post("/anymail/sparkpost/inbound/", body, content_type="application/json")

    return post


def test_a_provider_that_anymail_reads_brings_mail_too(sparkpost: Any, seat) -> None:
    assert sparkpost(seat.reply_address, mail(seat)).status_code == 200
    processing.process_stored()
    assert InboundEmail.objects.get().state == InboundEmail.State.DONE


@pytest.mark.parametrize("bomb", HOSTILE.values(), ids=HOSTILE)
def test_what_breaks_anymails_parser_is_kept_all_the_same(bomb: Any, sparkpost: Any, seat) -> None:
    assert sparkpost(seat.reply_address, bomb(seat)).status_code == 200
    assert InboundEmail.objects.count() == 1


# --- Configuration --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_provider_without_a_secret_is_refused_by_the_checks(name: str, settings) -> None:
    settings.PRODUCTION = True
    settings.MAIL_WEBHOOKS = [name]
    settings.ANYMAIL = {}
    assert "gemserver.E013" in {error.id for error in check_configuration(None)}
    settings.ANYMAIL = {
        key: SECRETS.get(f"ANYMAIL_{key}", "a:long-enough-for-a-secret")
        for names in PROVIDERS[name].secrets
        for key in names
    }
    assert "gemserver.E013" not in {error.id for error in check_configuration(None)}


@pytest.mark.parametrize("secret", ["", "gem:short", "a-long-secret-without-a-name"])
def test_a_weak_password_counts_as_none(secret: str, settings) -> None:
    settings.MAIL_WEBHOOKS = ["postmark"]
    settings.ANYMAIL = {"WEBHOOK_SECRET": secret}
    assert unguarded_providers() == ["postmark"]


def test_an_unknown_provider_is_refused_by_the_checks(settings) -> None:
    settings.MAIL_WEBHOOKS = ["carrier-pigeon"]
    assert unguarded_providers() == ["carrier-pigeon"]
