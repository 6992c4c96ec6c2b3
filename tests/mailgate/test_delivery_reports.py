"""Returned mails: believed only if the reporter can know of the mail, and their effects on player and table.

See mail-requirements.md L10.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import time, timedelta
from email import message_from_bytes

import pytest
from allauth.account.models import EmailAddress
from django.core import mail as outbox
from django.test import Client

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.reachability import is_cut_off
from gemserver.lib import clock
from gemserver.matches import selectors
from gemserver.matches.actions.people.choose_channels import Channel, Topic, choose_channels
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.digests import queue_digest
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Seat
from gemserver.matches.notifications import Wishes
from gemserver.notify import bounces, delivery
from gemserver.notify.bounces import TrustedReport
from gemserver.notify.envelope import message_returned_to, return_address
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from tests.mailgate.reports import complaint, dsn, match_of_ana_asked_by_mail, receive, turn_mail

pytestmark = pytest.mark.django_db
Kind = DeliveryEvent.Kind
Why = UnreachableAddress.Reason


@pytest.fixture(autouse=True)
def settled(settings) -> None:
    settings.MAIL_VERP = True


@pytest.fixture
def match() -> Match:
    return match_of_ana_asked_by_mail()


@pytest.fixture
def ana(match: Match) -> User:
    return User.objects.get(username="ana")


def log_of(match: Match) -> list[str]:
    names = selectors.names(match)
    return [notices.sentence(notice, names) for notice in match.notices.order_by("pk")]


# --- The address that a mail comes back to -------------------------------------------------------


def test_each_mail_has_a_return_address_of_its_own(match) -> None:
    """mail-requirements.md A5: so that a returned mail says which one it was (VERP)."""
    sent = outbox.outbox[-1]
    assert sent.from_email.startswith("b+")
    written = message_from_bytes(sent.message().as_bytes())
    assert written["From"] == "Gem server <play@gem.localhost>"
    message = OutboxMessage.objects.get(message_id=sent.extra_headers["Message-ID"])
    assert sent.from_email == return_address(message)
    assert message_returned_to(sent.from_email.upper()) == message
    assert len(sent.from_email.partition("@")[0]) <= 64


def test_without_verp_mails_come_from_the_lobby(match, settings) -> None:
    settings.MAIL_VERP = False
    assert (
        delivery.write(OutboxMessage.objects.filter(kind="started").first()).from_email
        == settings.DEFAULT_FROM_EMAIL
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.replace("-", "-a", 1)[:-1],
        lambda a: a.replace("b+", "b+9", 1),
        lambda a: "b+1-@gem.localhost",
    ],
)
def test_a_return_address_cannot_be_made_up(change: Callable[[str], str], match) -> None:
    """mail-requirements.md A3: a guesser gets the same answer as for any unknown address."""
    assert message_returned_to(change(return_address(turn_mail()))) is None


# --- Delivery status notifications ----------------------------------------------------------------


def test_a_hard_bounce_gives_the_address_up(match, ana) -> None:
    row = receive(dsn(turn_mail()), return_address(turn_mail()))
    assert (row.state, row.code) == ("dropped", "delivery-report")
    event = DeliveryEvent.objects.get()
    assert (event.kind, event.address, event.message) == (Kind.HARD_BOUNCE, "ana@example.org", turn_mail())
    assert UnreachableAddress.objects.get().why == Why.BOUNCED
    assert ana.mail_address() is None
    assert is_cut_off(ana)


def test_nothing_is_answered_to_a_mail_that_comes_back(match) -> None:
    receive(dsn(turn_mail()), return_address(turn_mail()))
    assert not OutboxMessage.objects.filter(kind="receipt").exists()


def test_four_soft_bounces_in_two_weeks_are_as_bad(match, ana) -> None:
    for number in range(4):
        assert ana.mail_address() == "ana@example.org"
        raw = dsn(turn_mail(), status="4.2.2").replace(b"20260306120000", b"%d" % number)
        receive(raw, return_address(turn_mail()))
    assert ana.mail_address() is None


def test_soft_bounces_long_apart_are_not(match, ana) -> None:
    now = clock.now()
    for days in (40, 20, 15, 0):
        at = now - timedelta(days=days)
        bounces.note(TrustedReport(Kind.SOFT_BOUNCE, "ana@example.org", at, "dsn", f"dsn:{days}"), now=now)
    assert bounces.score("ana@example.org", now) == 1
    assert ana.mail_address() == "ana@example.org"


def test_a_mail_that_arrives_wipes_soft_bounces_out(match, ana) -> None:
    now = clock.now()
    for hour, kind in enumerate([Kind.SOFT_BOUNCE] * 3 + [Kind.DELIVERED] + [Kind.SOFT_BOUNCE] * 3):
        at = now - timedelta(hours=10 - hour)
        bounces.note(TrustedReport(kind, "ana@example.org", at, "Mailgun", f"{hour}"), now=now)
    assert ana.mail_address() == "ana@example.org"


@pytest.mark.parametrize("action", ["delayed", "relayed", "expanded", "delivered"])
def test_what_is_no_failure_does_not_count(action: str, match, ana) -> None:
    receive(dsn(turn_mail(), action=action, status="4.4.1"), return_address(turn_mail()))
    assert not DeliveryEvent.objects.exists()


def test_the_same_report_twice_counts_once(match, ana) -> None:
    for _ in range(5):
        receive(dsn(turn_mail(), status="4.2.2"), return_address(turn_mail()))
    assert DeliveryEvent.objects.count() == 1


def test_a_report_that_quotes_the_message_id_is_believed_too(match, ana) -> None:
    receive(dsn(turn_mail()), "play@gem.localhost")
    assert is_cut_off(ana)


def test_the_message_id_that_a_provider_gave_it_is_known(match, ana) -> None:
    """mail-requirements.md H2."""
    OutboxMessage.objects.filter(pk=turn_mail().pk).update(provider_id="0102018-aaaa@eu-west-1.amazonses.com")
    raw = dsn(turn_mail()).replace(turn_mail().message_id.encode(), b"<0102018-aaaa@eu-west-1.amazonses.com>")
    receive(raw, "play@gem.localhost")
    assert is_cut_off(ana)


@pytest.mark.parametrize("to", ["play@gem.localhost", "b+17-aaaaaaaaaa@gem.localhost"])
def test_a_report_that_anybody_could_write_is_not_believed(to: str, match, ana) -> None:
    """Otherwise one forged mail would silence any player whose address is known."""
    row = receive(dsn(None), to)
    assert (row.state, row.code) == ("dropped", "report-of-unknown-mail")
    assert not is_cut_off(ana)


def test_a_report_about_somebody_else_does_not_count(match, ana) -> None:
    """Ben knows the Message-IDs of his own mails, not of Ana's; nor can he name her in a report about his."""
    bens = OutboxMessage.objects.get(kind="started", user__username="ben")
    receive(dsn(bens, recipient="ana@example.org"), "play@gem.localhost")
    assert not DeliveryEvent.objects.exists()


def test_a_vacation_notice_to_the_return_address_is_no_bounce(match, ana) -> None:
    raw = b"From: ana@example.org\nAuto-Submitted: auto-replied\nSubject: Away\nMessage-ID: <v@x>\n\nbid 1\n"
    row = receive(raw, return_address(turn_mail()), "ana@example.org")
    assert (row.state, row.code) == ("dropped", "to-return-address")
    assert not DeliveryEvent.objects.exists()


def test_commands_to_the_return_address_are_never_carried_out(match) -> None:
    raw = b"From: ana@example.org\nSubject: x\nMessage-ID: <v@x>\n\nbid 1\n"
    receive(raw, return_address(turn_mail()), "ana@example.org")
    assert not match.moves.exists()


# --- The next channel -----------------------------------------------------------------------------


def test_mail_goes_to_the_next_verified_address_what_came_back_included(match, ana) -> None:
    EmailAddress.objects.create(user=ana, email="ana@work.example", verified=True)
    EmailAddress.objects.create(user=ana, email="ana@unproved.example", verified=False)
    outbox.outbox.clear()
    receive(dsn(turn_mail()), return_address(turn_mail()))
    delivery.send_queued()
    assert [sent.to for sent in outbox.outbox] == [["ana@work.example"]]
    assert not is_cut_off(ana)
    assert not any("comes back" in line for line in log_of(match))


def test_a_late_report_of_the_first_sending_does_not_hit_the_second_address(match, ana) -> None:
    first = return_address(turn_mail())
    EmailAddress.objects.create(user=ana, email="ana@work.example", verified=True)
    receive(dsn(turn_mail()), first)
    receive(dsn(turn_mail(), status="5.4.4"), first)
    assert ana.mail_address() == "ana@work.example"


def test_what_waits_for_an_address_that_was_given_up_is_not_sent(match, ana) -> None:
    outbox.outbox.clear()
    OutboxMessage.objects.filter(to="ben@example.org").update(state="queued", available_at=clock.now())
    bounces.note(TrustedReport(Kind.HARD_BOUNCE, "ben@example.org", clock.now(), "dsn", "x"), now=clock.now())
    delivery.send_queued()
    assert [sent.to for sent in outbox.outbox] == [["ana@example.org"]]  # she is told about Ben


def test_an_answer_goes_to_the_sender_only_while_mail_arrives_there(match, ana) -> None:
    receive(dsn(turn_mail()), return_address(turn_mail()))
    seat = Seat.objects.get(match=match, user=ana)
    raw = f"From: ana@example.org\nTo: {seat.reply_address}\nSubject: x\nMessage-ID: <h@x>\n\nhelp\n".encode()
    assert receive(raw, seat.reply_address, "ana@example.org").state == "done"
    assert not OutboxMessage.objects.filter(kind="receipt").exists()
    EmailAddress.objects.create(user=ana, email="ana@work.example", verified=True)
    receive(raw.replace(b"<h@x>", b"<i@x>"), seat.reply_address, "ana@example.org")
    assert OutboxMessage.objects.get(kind="receipt").to == "ana@work.example"


# --- The table ------------------------------------------------------------------------------------


def test_opponents_are_told_in_the_log_and_by_mail(match, ana) -> None:
    outbox.outbox.clear()
    receive(dsn(turn_mail()), return_address(turn_mail()))
    delivery.send_queued()
    (told,) = outbox.outbox
    assert told.to == ["ben@example.org"]
    assert "Mail to ana comes back." in told.body
    assert "ana@example.org" not in told.body
    assert any("Mail to ana comes back." in line for line in log_of(match))
    receive(dsn(turn_mail(), status="5.1.2"), return_address(turn_mail()))  # once is enough
    delivery.send_queued()
    assert len(outbox.outbox) == 1


def run_out(match: Match, times: int) -> Seat:
    """Let the time of the player who is asked run out, for Ana this many times; returns her seat."""
    index = Seat.objects.get(match=match, user__username="ana").index
    now = clock.now()
    missed = 0
    while missed < times:
        seat = Seat.objects.filter(match=match, is_waiting=True).order_by("index").first()
        assert seat is not None
        now += timedelta(days=4)
        if seat.index != index:
            Seat.objects.filter(pk=seat.pk).update(misses=0)
        expire_seat(seat.pk, now=now)
        missed += seat.index == index
    return Seat.objects.get(match=match, index=index)


def test_who_cannot_be_reached_misses_turns_but_not_the_seat(match, ana) -> None:
    receive(dsn(turn_mail()), return_address(turn_mail()))
    seat = run_out(match, times=3)
    assert (seat.user, seat.misses) == (ana, 0)


def test_who_can_be_reached_loses_it(match, ana) -> None:
    assert run_out(match, times=2).user is None


# --- Complaints -----------------------------------------------------------------------------------


def test_a_complaint_unsubscribes(match, ana) -> None:
    row = receive(complaint(turn_mail()), "play@gem.localhost", "feedback@isp.example")
    assert row.code == "delivery-report"
    ana.refresh_from_db()
    assert ana.mail_mode == User.MailMode.OFF
    assert UnreachableAddress.objects.get().why == Why.COMPLAINED
    assert not is_cut_off(ana)  # it was a choice
    assert run_out(match, times=2).user is None


def test_a_complaint_ends_the_digest_and_what_was_chosen_for_one_match(match, ana, browser) -> None:
    """Like `mail off`: a second address is no reason to go on, and the notification page says so."""
    now = clock.now()
    EmailAddress.objects.create(user=ana, email="ana@work.example", verified=True)
    set_mail_mode(ana, User.MailMode.DIGEST, now=now, digest_at=time(8))
    choose_channels(ana, match, {Topic.TURN: Channel.MAIL, Topic.TALK: Channel.MAIL}, now=now)
    receive(complaint(turn_mail()), "play@gem.localhost", "feedback@isp.example")
    ana.refresh_from_db()
    assert (ana.mail_mode, ana.next_digest_at) == (User.MailMode.OFF, None)
    assert not queue_digest(ana.pk, now=now + timedelta(days=2))
    assert set(_channels(ana, match)) == {Channel.WEB}
    page = browser.get("/notifications/").content.decode()
    assert re.search(r'<input type="radio" name="mode" value="off"[^>]* checked', page)
    assert "was marked as unwanted" in browser.get("/").content.decode()


def _channels(user: User, match: Match) -> list[str]:
    return [Wishes.of(user).channel(event, match.pk) for event in Topic]


# --- The player's own page ------------------------------------------------------------------------


@pytest.fixture
def browser(ana) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def test_the_first_page_says_so_and_has_a_button(match, ana, browser) -> None:
    assert "comes back" not in browser.get("/").content.decode()
    receive(dsn(turn_mail()), return_address(turn_mail()))
    page = browser.get("/").content.decode()
    assert "Mail to ana@example.org comes back" in page
    assert "Try this address again" in page
    outbox.outbox.clear()
    browser.post("/mail/try-again/", {"address": "ana@example.org"})
    assert "comes back" not in browser.get("/").content.decode().split("<h1")[1]
    assert ana.mail_address() == "ana@example.org"
    assert any("ana gets mail again." in line for line in log_of(match))
    delivery.send_queued()
    assert [sent.to for sent in outbox.outbox] == [["ana@example.org"]]  # Ben's news is out of date


def test_one_soft_bounce_after_a_new_try_is_not_the_end(match, ana, browser) -> None:
    receive(dsn(turn_mail()), return_address(turn_mail()))
    browser.post("/mail/try-again/", {"address": "ana@example.org"})
    bounces.note(
        TrustedReport(Kind.SOFT_BOUNCE, "ana@example.org", clock.now(), "dsn", "again"), now=clock.now()
    )
    assert ana.mail_address() == "ana@example.org"


def test_who_complained_can_have_mail_again(match, ana, browser) -> None:
    receive(complaint(turn_mail()), "play@gem.localhost", "feedback@isp.example")
    assert "Send me mail again" in browser.get("/").content.decode()
    browser.post("/mail/try-again/", {"address": "ana@example.org"})
    ana.refresh_from_db()
    assert ana.mail_mode == User.MailMode.TURNS
    assert ana.mail_address() == "ana@example.org"


def test_nobody_tries_the_address_of_another(match, ana) -> None:
    receive(dsn(turn_mail()), return_address(turn_mail()))
    ben = Client()
    ben.force_login(User.objects.get(username="ben"))
    ben.post("/mail/try-again/", {"address": "ana@example.org"})
    assert ana.mail_address() is None
    assert Client().post("/mail/try-again/", {"address": "ana@example.org"}).status_code == 302
    assert ana.mail_address() is None


def test_a_get_changes_nothing(match, ana, browser) -> None:
    receive(dsn(turn_mail()), return_address(turn_mail()))
    assert browser.get("/mail/try-again/?address=ana@example.org").status_code == 405
    assert ana.mail_address() is None


def test_a_table_hears_five_times_a_day_that_a_player_is_reached_again(match, ana) -> None:
    client = Client()
    client.force_login(ana)
    for _ in range(6):
        UnreachableAddress.objects.create(address="ana@example.org", why=Why.BOUNCED, since=clock.now())
        page = client.post("/mail/try-again/", {"address": "ana@example.org"}, follow=True)
    assert "come back 5 times within a day" in page.content.decode()
    assert is_cut_off(ana)
    assert log_of(match).count("ana gets mail again.") == 5
