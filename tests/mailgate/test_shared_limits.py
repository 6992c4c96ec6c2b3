"""Limits of mail that all receivers count together (mail-requirements.md O3), and those of one provider's people."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import OperationalError

from gemserver.inbox.models import MailCount
from gemserver.lib import clock
from gemserver.mailgate import sign_up
from gemserver.mailgate.receivers.rates import SharedLimit
from gemserver.matches.models import Seat
from gemserver.notify import envelope
from gemserver.notify.models import OutboxMessage
from gemserver.operating import retention
from tests.builders import make_user
from tests.mailgate.test_sign_up import write
from tests.mailgate.test_smtp_receiver import SENDER, mail, receiving, seat, talk  # noqa: F401


@pytest.mark.django_db
def test_two_receivers_count_together() -> None:
    one, two = SharedLimit("mails", 2, 60), SharedLimit("mails", 2, 60)
    assert [one.allows("ana"), two.allows("ana"), one.allows("ana"), two.allows("ben")] == [
        *(True, True, False, True)
    ]
    assert SharedLimit("others", 2, 60).allows("ana"), "limits are counted apart"


@pytest.mark.django_db
def test_no_limit_is_not_counted() -> None:
    assert SharedLimit("mails", 0, 60).allows("ana")
    assert not MailCount.objects.exists()


@pytest.mark.django_db
def test_counting_begins_anew_when_the_window_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    limit, now = SharedLimit("mails", 1, 60), clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    assert [limit.allows("ana"), limit.allows("ana")] == [True, False]
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=61))
    assert [limit.allows("ana"), limit.allows("ana")] == [True, False]


@pytest.mark.django_db
def test_what_was_given_back_may_be_used_again() -> None:
    limit = SharedLimit("mails", 1, 60)
    assert limit.allows("ana")
    limit.give_back("ana")
    assert [limit.allows("ana"), limit.allows("ana")] == [True, False]


@pytest.mark.django_db
def test_counts_are_forgotten_when_their_window_is_over() -> None:
    SharedLimit("mails", 1, 60).allows("ana")
    retention.forget(clock.now())
    assert MailCount.objects.count() == 1
    retention.forget(clock.now() + timedelta(seconds=61))
    assert not MailCount.objects.exists()


@pytest.fixture
def _no_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(limit: SharedLimit, key: object) -> bool:
        raise OperationalError

    monkeypatch.setattr(SharedLimit, "allows", fail)


@pytest.mark.usefixtures("_no_counts")
def test_a_receiver_that_cannot_count_with_the_others_counts_alone(
    seat: Seat,  # noqa: F811
    settings: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """No mail is lost or refused for that, and the log says it."""
    settings.MAIL_RATE_SENDER = 1
    with receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        assert client.sendmail(SENDER, [seat.reply_address], mail(seat)) == {}
        assert talk(client, f"MAIL FROM:<{SENDER}>") == [451]
    assert "a mail could not be counted" in caplog.text


@pytest.fixture
def codes_of_connections(seat: Seat, settings: Any) -> Iterator[Any]:  # noqa: F811
    settings.MAIL_RATE_CONNECTIONS = 2
    with receiving() as port:

        def connect(times: int, recipient: str) -> list[int]:
            """The answers to MAIL on so many connections, one after another, that then name this recipient."""
            codes = []
            for _ in range(times):
                with smtplib.SMTP("127.0.0.1", port) as client:
                    codes += talk(client, f"MAIL FROM:<{SENDER}>")
                    client.rcpt(recipient)
            return codes

        yield connect


def test_a_provider_that_brings_the_mail_of_players_is_not_put_off(
    seat: Seat,  # noqa: F811
    codes_of_connections: Any,
) -> None:
    """Their addresses have limits of their own; the connections of strangers are counted as ever."""
    assert codes_of_connections(5, seat.reply_address) == [250] * 5
    assert codes_of_connections(3, "play@gem.localhost") == [250, 250, 451]


def test_returned_mails_of_one_relay_are_counted_by_recipient(seat: Seat, settings: Any) -> None:  # noqa: F811
    settings.MAIL_RATE_SENDER = 1
    with receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        addresses = [f"b+{token}@gem.localhost" for token in _return_tokens(2)]
        codes = [
            talk(client, "RSET", "MAIL FROM:<>", f"RCPT TO:<{address}>")[-1]
            for address in [*addresses, addresses[0]]
        ]
    assert codes == [250, 250, 451]


def _return_tokens(count: int) -> list[str]:
    rows = OutboxMessage.objects.order_by("pk")[:count]
    return [envelope.return_address(row).partition("+")[2].partition("@")[0] for row in rows]


@pytest.mark.django_db
def test_a_domain_may_ask_in_proportion_to_its_players(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mail-requirements.md L8: so many for any domain, and more for the provider of most players."""
    settings.SIGN_UP_RATE = 4
    monkeypatch.setattr(sign_up, "NEWEST", 4)
    monkeypatch.setattr(sign_up, "PER_DOMAIN_AND_HOUR", 2)
    first = [write("help", sender=f"new{number}@example.net").code for number in range(3)]
    assert first == ["asked-to-confirm", "asked-to-confirm", "too-many-strangers"]
    for number in range(4):
        user = make_user(f"old{number}")
        domain = "example.net" if number else "example.com"
        EmailAddress.objects.filter(user=user).update(email=f"old{number}@{domain}")
    more = [write("help", sender=f"new{number}@example.net").code for number in range(3, 5)]
    assert more == ["asked-to-confirm", "too-many-strangers"]
    assert write("help", sender="cy@example.com").code == "asked-to-confirm", "some is left for others"
