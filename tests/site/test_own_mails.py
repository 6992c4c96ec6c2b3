"""The page and the command that tell players how their mails to us, and ours to them, have fared."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import mail
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.own_mails import name_kind
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.seats.renew_address import renew_address
from gemserver.matches.models import Match, Seat
from gemserver.notify import bounces, delivery
from gemserver.notify.bounces import TrustedReport
from gemserver.notify.content import TEST
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from tests.builders import asked, make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def prove_senders(settings: Settings) -> None:
    settings.MAIL_AUTH = "normal"


@pytest.fixture
def seat() -> Seat:
    return asked(make_match(players=[make_user("ana"), make_user("ben")], now=clock.now()))


@pytest.fixture
def player(seat: Seat) -> User:
    assert seat.user
    return seat.user


def page_of(user: User) -> str:
    return read_main(signed_in(user).get("/you/mails/")).text


def receive_at_lost_address(sender: str, **auth: str) -> InboundEmail:
    """A mail to a reply address that never was one."""
    to = settings.PLAY_REPLY.format(token="a" * 26)
    raw = f"From: {sender}\nTo: {to}\nSubject: my move\nMessage-ID: <lost@example.org>\n\npass\n".encode()
    row = ingest(raw, sender, to, "smtp", auth)
    processing.process_stored()
    row.refresh_from_db()
    return row


def test_each_mail_is_listed_with_its_match_and_what_came_of_each_line(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "say well met\nbid 77\n"), dmarc="pass")
    shown = page_of(player)
    assert seat.match.code in shown
    assert "say well met → done" in shown
    assert "bid 77 → " in shown


def test_a_mail_that_was_dropped_says_why(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "pass", Auto_Submitted="auto-replied"), dmarc="pass")
    shown = page_of(player)
    assert "neither carried out nor answered" in shown
    assert "says that a machine wrote this mail" in shown


def test_a_mail_to_an_address_that_leads_nowhere_says_so(player: User) -> None:
    row = receive_at_lost_address(player.email, dmarc="pass")
    assert (row.state, row.user) == ("dropped", None)
    assert "the address that you wrote to leads nowhere any more" in page_of(player)


def test_a_mail_that_anybody_may_have_written_in_the_players_name_is_not_listed(player: User) -> None:
    receive_at_lost_address(player.email)
    receive_at_lost_address(player.email, dmarc="fail")
    assert "No mail from you has reached us" in page_of(player)


def test_of_a_forged_mail_no_word_is_shown(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "pass", Subject="buy pearls"), dmarc="fail")
    shown = page_of(player)
    assert "came from a server that may not send for your address" in shown
    assert "pearls" not in shown


def test_of_a_mail_that_waits_for_consent_only_the_sender_is_shown(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "say pearls", sender="ana@home.example", Subject="pearls"), dmarc="pass")
    shown = page_of(player)
    assert "ana@home.example, which is none of your addresses" in shown
    assert "pearls" not in shown


def test_a_former_address_is_told_of_and_no_token_is_shown(seat: Seat, player: User) -> None:
    former = seat.reply_address
    raw = letter(seat, f"say I wrote to {former}", Subject=f"to {former}")
    receive(seat, raw, dmarc="pass")
    renew_address(seat.pk, now=clock.now())
    row = ingest(letter(seat, "pass", To=former), player.email, former, "smtp", {"dmarc": "pass"})
    processing.process_stored()
    row.refresh_from_db()
    shown = page_of(player)
    assert row.code == "former-address"
    assert "the reply address that you wrote to was replaced" in shown
    assert former not in shown
    assert former.partition("+")[2].partition("@")[0] not in shown


def test_mails_of_others_are_not_shown(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "say pearls for ana"), dmarc="pass")
    other = seat.match.seats.exclude(pk=seat.pk).get().user
    assert other
    assert "pearls" not in page_of(other)
    # Nor to whoever has got the writer's address since.
    EmailAddress.objects.filter(email=player.email).update(user=other, primary=False)
    assert "pearls" not in page_of(other)


def test_who_plays_there_no_more_sees_no_words_of_a_running_match(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "say pearls", Subject="pearls"), dmarc="pass")
    assert "pearls" in page_of(player)
    Seat.objects.filter(pk=seat.pk).update(user=make_user("cy"))
    shown = page_of(player)
    assert "pearls" not in shown
    assert seat.match.code in shown
    Match.objects.filter(pk=seat.match_id).update(status=Match.Status.FINISHED)
    assert "pearls" in page_of(player)


def test_a_mail_of_ours_is_listed_as_sent_and_then_as_come_back(seat: Seat, player: User) -> None:
    turn = OutboxMessage.objects.get(user=player)
    assert "your turn" in page_of(player)
    assert "queued" in page_of(player)
    delivery.send_queued()
    assert "sent" in page_of(player)
    now = clock.now()
    report = TrustedReport(DeliveryEvent.Kind.SOFT_BOUNCE, player.email, now, "dsn", "key", "4.2.2", turn)
    bounces.note(report, now=now)
    assert "sent · not delivered for now" in page_of(player)


def test_mails_of_long_ago_are_left_out(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "say pearls"), dmarc="pass")
    old = clock.now() - timedelta(days=31)
    InboundEmail.objects.update(received_at=old)
    OutboxMessage.objects.update(created_at=old)
    shown = page_of(player)
    assert "No mail from you has reached us" in shown
    assert "We have sent you nothing" in shown


def test_the_command_mails_answers_with_them(seat: Seat, player: User) -> None:
    receive(seat, letter(seat, "bid 77\n"), dmarc="pass")
    delivery.send_queued()
    receive(seat, letter(seat, "mails"), dmarc="pass")
    delivery.send_queued()
    answer = str(mail.outbox[-1].body)  # type: ignore[attr-defined]
    assert "Your mails" in answer
    assert "bid 77 → " in answer
    assert "/you/mails/" in answer


def test_every_kind_of_mail_has_a_name() -> None:
    for kind in [*settings.MAIL_KINDS, TEST]:
        assert name_kind(kind)
