"""Reports of providers and relays on our mails (mail-requirements.md L10)."""

from __future__ import annotations

import json
import smtplib

import pytest
from django.core.mail.backends.locmem import EmailBackend

from gemserver.accounts.models import User
from gemserver.accounts.reachability import is_cut_off
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from tests.mailgate import webhook_posts as posts
from tests.mailgate.reports import match_of_ana_asked_by_mail, turn_mail

pytestmark = pytest.mark.django_db
Kind = DeliveryEvent.Kind


@pytest.fixture(autouse=True)
def settled(settings) -> None:
    settings.MAIL_WEBHOOKS = ["postmark", "mailgun", "amazon_ses", "sendgrid"]
    settings.ANYMAIL = posts.SETTINGS


@pytest.fixture
def match() -> Match:
    return match_of_ana_asked_by_mail()


@pytest.fixture
def ana(match: Match) -> User:
    return User.objects.get(username="ana")


def postmark_tracking(**post: object) -> int:
    body = json.dumps(
        {"MessageID": "883953f4-6105-42a2-a16a-77a8eac79483", "Email": "ana@example.org", **post}
    )
    return (
        posts.client().post("/anymail/postmark/tracking/", body, content_type="application/json").status_code
    )


POSTMARK = [
    (
        {"RecordType": "Bounce", "Type": "HardBounce", "ID": 1, "Details": "smtp;550 5.1.1 unknown"},
        Kind.HARD_BOUNCE,
    ),
    (
        {"RecordType": "Bounce", "Type": "SoftBounce", "ID": 2, "Details": "smtp;452 4.2.2 full"},
        Kind.SOFT_BOUNCE,
    ),
    ({"RecordType": "Bounce", "Type": "BadEmailAddress", "ID": 3}, Kind.REJECTED),
    ({"RecordType": "Bounce", "Type": "Blocked", "ID": 4}, Kind.SOFT_BOUNCE),
    ({"RecordType": "SpamComplaint", "Type": "SpamComplaint", "ID": 5}, Kind.COMPLAINED),
    (
        {"RecordType": "Delivery", "Recipient": "ana@example.org", "DeliveredAt": "2026-03-06T12:00:00Z"},
        Kind.DELIVERED,
    ),
]


@pytest.mark.parametrize(("post", "kind"), POSTMARK, ids=[kind for _, kind in POSTMARK])
def test_what_a_provider_tells_is_noted(post: dict[str, object], kind: str, match, ana) -> None:
    OutboxMessage.objects.filter(pk=turn_mail().pk).update(provider_id="883953f4-6105-42a2-a16a-77a8eac79483")
    for _ in range(2):  # providers post twice
        assert postmark_tracking(**post) == 200
    event = DeliveryEvent.objects.get()
    assert (event.kind, event.address, event.message, event.source) == (
        kind,
        "ana@example.org",
        turn_mail(),
        "Postmark",
    )
    ana.refresh_from_db()
    is_lost = kind in (Kind.HARD_BOUNCE, Kind.REJECTED, Kind.COMPLAINED)
    assert (ana.mail_address() is None) is is_lost


@pytest.mark.parametrize("kind", ["Open", "Click"])
def test_who_opens_a_mail_is_nobodys_business(kind: str, match) -> None:
    assert postmark_tracking(RecordType=kind, Recipient="ana@example.org") == 200
    assert not DeliveryEvent.objects.exists()


def test_a_provider_may_name_an_address_alone(match, ana) -> None:
    assert postmark_tracking(RecordType="Bounce", Type="HardBounce", ID=9, MessageID="unknown") == 200
    assert is_cut_off(ana)


def test_a_bounce_that_amazon_calls_transient_is_soft(match, ana) -> None:
    event = {
        "notificationType": "Bounce",
        "mail": {"messageId": "0102", "destination": ["ana@example.org"]},
        "bounce": {
            "bounceType": "Transient",
            "bounceSubType": "MailboxFull",
            "bouncedRecipients": [{"emailAddress": "ana@example.org"}],
        },
    }
    post = {"Type": "Notification", "MessageId": "m1", "TopicArn": posts.TOPIC, "Message": json.dumps(event)}
    response = posts.client().post(
        "/anymail/amazon_ses/tracking/",
        json.dumps(post),
        content_type="text/plain",
        HTTP_X_AMZ_SNS_MESSAGE_TYPE="Notification",
        HTTP_X_AMZ_SNS_MESSAGE_ID="m1",
    )
    assert response.status_code == 200
    assert DeliveryEvent.objects.get().kind == Kind.SOFT_BOUNCE


def test_a_forged_report_is_refused(match, ana) -> None:
    """mail-requirements.md threat 8."""
    body = json.dumps({"RecordType": "Bounce", "Type": "HardBounce", "Email": "ana@example.org", "ID": 1})
    wrong = posts.client("gem:wrong").post(
        "/anymail/postmark/tracking/", body, content_type="application/json"
    )
    assert wrong.status_code == 400
    assert not DeliveryEvent.objects.exists()


def send_again(message: OutboxMessage) -> None:
    OutboxMessage.objects.filter(pk=message.pk).update(state="queued", available_at=clock.now())
    delivery.send_queued()


class Refusing(EmailBackend):
    """A relay that refuses an address at once."""

    answer = (550, b"5.1.1 <ana@example.org>: Recipient address rejected: User unknown")

    def send_messages(self, messages) -> int:
        if messages[0].to == ["ana@example.org"]:
            raise smtplib.SMTPRecipientsRefused({"ana@example.org": self.answer})
        return super().send_messages(messages)


def test_an_address_that_the_relay_does_not_know_is_given_up(match, ana, settings) -> None:
    settings.EMAIL_BACKEND = "tests.mailgate.test_tracking.Refusing"
    send_again(turn_mail())
    assert is_cut_off(ana)
    assert turn_mail().state == "skipped"


def test_a_relay_that_refuses_us_is_no_reason_to_give_an_address_up(
    match, ana, settings, monkeypatch
) -> None:
    settings.EMAIL_BACKEND = "tests.mailgate.test_tracking.Refusing"
    monkeypatch.setattr(Refusing, "answer", (554, b"5.7.1 <ana@example.org>: Relay access denied"))
    send_again(turn_mail())
    assert not is_cut_off(ana)
    assert turn_mail().state == "queued"
