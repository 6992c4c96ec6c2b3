"""Every provider works with the settings that docs/operating.md names for it, and junk is never answered 500."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate.parse import parse
from gemserver.mailgate.receivers.provider_table import PROVIDERS
from gemserver.mailgate.receivers.webhooks import unguarded_providers
from gemserver.notify.models import DeliveryEvent
from tests.builders import make_user
from tests.mailgate.documented_posts import (
    ANA,
    INBOUND,
    SECRETS,
    STRANGERS,
    TRACKING,
    Documented,
    provider_api,
)
from tests.quick import one_in

ROOT = Path(__file__).resolve().parent.parent.parent
ROWS = dict(
    re.findall(
        r"^\| `(\w+)` \| (.*?) \|",
        (ROOT / "docs/operating.md").read_text().partition("| provider | needs |")[2].partition("\n\n")[0],
        re.MULTILINE,
    )
)
"""By provider, the variables that the documentation names."""
ADDRESSES = [(name, kind) for name in PROVIDERS for kind in ("inbound", "tracking")]
_NAMES = [" ".join(each) for each in ADDRESSES]
every_address = pytest.mark.parametrize(("name", "kind"), ADDRESSES, ids=_NAMES)
some_addresses = pytest.mark.parametrize(("name", "kind"), one_in(5, ADDRESSES), ids=_NAMES)

pytestmark = pytest.mark.django_db


def documented(name: str) -> list[str]:
    return re.findall(r"`(ANYMAIL_\w+)`", ROWS[name])


@pytest.fixture
def api(name: str, settings) -> Iterator[None]:
    """The provider, enabled with its documented settings; its API runs on this machine."""
    settings.MAIL_WEBHOOKS = [name]
    settings.SES_TOPICS = []
    settings.ANYMAIL = {each.removeprefix("ANYMAIL_"): SECRETS[each] for each in documented(name)}
    if name not in {"mailtrap", "resend"}:
        yield
        return
    with provider_api() as address:
        settings.ANYMAIL[f"{name.upper()}_API_URL"] = address
        yield


def post(
    name: str, kind: str, body: bytes | None = None, secrets: Mapping[str, str] | None = SECRETS
) -> HttpResponse:
    """Post what the provider would, or another body, signed with these secrets; unsigned if there are none."""
    each: Documented = (INBOUND if kind == "inbound" else TRACKING)[name]
    body = each.body if body is None else body
    headers = dict(each.sign(body, secrets)) if secrets is not None else {}
    if kind == "tracking" and "X-For-Tracking" in headers:
        headers["X-Mandrill-Signature"] = headers["X-For-Tracking"]
    client = Client(raise_request_exception=False, headers=headers)
    return client.post(f"/anymail/{name}/{kind}/", body, content_type=each.content_type)


def test_every_provider_is_documented_and_no_other() -> None:
    assert set(ROWS) == set(PROVIDERS) == set(INBOUND) == set(TRACKING)
    assert all(documented(name) for name in PROVIDERS)


@every_address
def test_the_documented_settings_are_enough(name: str, kind: str, api: None) -> None:
    assert unguarded_providers() == []
    make_user("ana")
    assert post(name, kind).status_code == 200
    if kind == "inbound":
        stored = InboundEmail.objects.get()
        assert parse(bytes(stored.raw)).text.strip() == "help"
        assert stored.envelope_from in {ANA, ""}
    elif name != "mandrill":  # its "send" only means that the mail was accepted
        assert DeliveryEvent.objects.get().address == ANA


@every_address
def test_without_one_of_them_the_provider_is_not_listened_to(
    name: str, kind: str, api: None, settings
) -> None:
    for each in documented(name):
        whole = settings.ANYMAIL
        settings.ANYMAIL = {
            key: value for key, value in whole.items() if key != each.removeprefix("ANYMAIL_")
        }
        assert unguarded_providers() == [name]
        assert post(name, kind).status_code == 404
        settings.ANYMAIL = whole


@pytest.mark.slow
@every_address
@pytest.mark.parametrize("secrets", [STRANGERS, None], ids=["another's secret", "no secret"])
def test_nobody_else_can_post(name: str, kind: str, secrets: Mapping[str, str] | None, api: None) -> None:
    body = None
    if name == "mailgun":  # the signature stands in the body
        body = (INBOUND if kind == "inbound" else TRACKING)[name].body.replace(b"signature", b"signatory", 1)
    assert 400 <= post(name, kind, body, secrets).status_code < 404
    assert not InboundEmail.objects.exists()
    assert not DeliveryEvent.objects.exists()


BODIES = {
    "empty": b"",
    "no JSON": b"\xff\xfe{",
    "null": b"null",
    "list": b"[]",
    "list of numbers": b"[1, 2]",
    "object": b"{}",
    "deep": b"[" * 50_000,
    "other types": b'{"type": 3, "event": [], "events": [3], "items": 5, "data": "x", "Type": {}, "msys": 1}',
    "form": b"mandrill_events=%5B3%5D&signature=x&envelope=3&email=",
}


@pytest.mark.slow
@some_addresses
def test_junk_is_never_answered_500(name: str, kind: str, api: None) -> None:
    answers = {
        (junk, whose): post(name, kind, body, secrets).status_code
        for junk, body in BODIES.items()
        for whose, secrets in (("ours", SECRETS), ("another's", STRANGERS), ("none", None))
    }
    assert {case: status for case, status in answers.items() if status >= 500} == {}


@every_address
def test_the_post_of_the_other_address_is_never_answered_500(name: str, kind: str, api: None) -> None:
    """A mix-up of the two addresses is refused at once, instead of being posted again for hours."""
    other = (TRACKING if kind == "inbound" else INBOUND)[name]
    assert post(name, kind, other.body).status_code < 500


@pytest.mark.parametrize("name", ["mailtrap", "resend"])
def test_a_mail_that_cannot_be_fetched_is_posted_again(name: str, api: None, settings) -> None:
    key = {"mailtrap": "MAILTRAP_API_TOKEN", "resend": "RESEND_API_KEY"}[name]
    settings.ANYMAIL[key] = "withdrawn"
    assert post(name, "inbound").status_code == 503
    assert not InboundEmail.objects.exists()


@pytest.mark.parametrize("name", ["amazon_ses"])
def test_a_report_of_somebody_elses_topic_is_refused(name: str, api: None, settings) -> None:
    settings.SES_TOPICS = ["arn:aws:sns:eu-west-1:1:other"]
    assert post(name, "tracking").status_code == 400
    assert not DeliveryEvent.objects.exists()
