"""Sending the outbox: once, in threads, with the headers of automatic mail, whatever the relay does."""

from __future__ import annotations

from datetime import datetime, timedelta
from email import message_from_bytes, policy
from smtplib import SMTPDataError
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils.html import strip_tags

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())


def mails_to(address: str) -> list[EmailMultiAlternatives]:
    return [message for message in mail.outbox if message.to == [address]]


def test_a_mail_is_sent_once_however_often_the_worker_runs(match: Match) -> None:
    for _ in range(3):
        delivery.send_queued()
    assert len(mail.outbox) == 2, "a start mail, and one with the first turn in it"
    assert set(OutboxMessage.objects.values_list("state", flat=True)) == {"sent"}


def test_a_claimed_mail_is_nobody_elses_until_its_claim_runs_out(match: Match) -> None:
    now = clock.now()
    assert len(delivery.claim(now)) == 2
    assert delivery.claim(now) == []
    assert len(delivery.claim(now + delivery.CLAIM)) == 2


def test_with_a_slow_relay_a_worker_lets_go_of_mails_before_its_claim_on_them_ends(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(match, match.seats.get(is_waiting=True).index, "bid 0", now=clock.now())
    instants, handled = [clock.now()], []

    def deliver_slowly(pk: int, claimed_until: datetime, relay: object) -> None:
        handled.append(pk)
        instants.append(instants[-1] + 0.4 * delivery.CLAIM)

    monkeypatch.setattr(clock, "now", lambda: instants[-1])
    monkeypatch.setattr(delivery, "deliver", deliver_slowly)
    assert delivery.send_queued() == 2
    assert OutboxMessage.objects.exclude(pk__in=handled).get().state == "queued"


def test_a_worker_makes_room_after_a_while_and_others_have_at_once_what_it_leaves(match: Match) -> None:
    assert delivery.send_queued(longest=-1) == 0
    assert mail.outbox == []
    assert delivery.send_queued() == 2


def test_the_mails_of_a_match_are_one_thread_whose_subjects_say_the_news(match: Match) -> None:
    delivery.send_queued()
    asked = match.seats.get(is_waiting=True)
    play(match, asked.index, "bid 0", now=clock.now())
    other = match.seats.get(is_waiting=True)
    play(match, other.index, "pass", now=clock.now())
    delivery.send_queued()
    assert asked.user is not None
    first, second = mails_to(asked.user.email)
    assert first.subject == f"[The match begins: bid (day 1 of 6, auction 1)] GEM {match.code}"
    assert second.subject == f"[Your turn: take a card (day 1 of 6, auction 1)] GEM {match.code}"
    root = first.extra_headers["Message-ID"]
    assert "References" not in first.extra_headers
    assert second.extra_headers["In-Reply-To"] == root
    assert second.extra_headers["References"] == root


def test_every_mail_says_that_it_is_automatic_and_how_to_stop_it(match: Match) -> None:
    delivery.send_queued()
    assert mail.outbox
    for message in mail.outbox:
        headers = message.extra_headers
        assert headers["Auto-Submitted"] == "auto-generated"
        assert headers["Precedence"] == "list"
        assert "OOF" in headers["X-Auto-Response-Suppress"]
        assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert match.code.lower() in headers["List-Id"]


def test_lists_of_mails_show_the_news_beside_the_subject(match: Match) -> None:
    """mail-requirements.md Q4: hidden in HTML, the first line of the text; what to do with the mail comes behind it."""
    asked = match.seats.get(is_waiting=True)
    play(match, asked.index, "bid 0", now=clock.now())
    delivery.send_queued()
    other = match.seats.select_related("user").get(is_waiting=True)
    assert other.user
    turn = mails_to(other.user.email)[-1]
    assert str(turn.body).startswith("-- Your turn: bid or pass (day 1 of 6, auction 1). Reply above")
    shown = strip_tags(str(turn.alternatives[0][0]).partition("<body")[2].partition(">")[2]).split("--")[0]
    said = " ".join(shown.split())
    assert said.startswith("Your turn: bid or pass (day 1 of 6, auction 1). Due ")
    assert said.endswith("bids 0.")
    assert len(said) <= 200
    assert "mso-hide:all" in str(turn.alternatives[0][0])


def test_the_turn_mail_is_text_and_html_with_the_board_inline(match: Match) -> None:
    """mail-requirements.md Q4."""
    delivery.send_queued()
    raw = OutboxMessage.objects.get(kind="turn").rendered
    assert raw is not None
    parsed = message_from_bytes(bytes(raw), policy=policy.default)
    kinds = [part.get_content_type() for part in parsed.walk()]
    assert kinds == ["multipart/related", "multipart/alternative", "text/plain", "text/html", "image/png"]
    html = parsed.get_body(("html",)).get_content()
    assert len(html.encode()) < 80_000, "Gmail clips what is longer than 102 kB"
    text = parsed.get_body(("plain",)).get_content()
    assert max(len(line) for line in text.splitlines() if "http" not in line and "mail" not in line) <= 76
    assert text.startswith("-- ")


def test_no_line_of_a_turn_mail_is_a_move_by_itself(match: Match) -> None:
    """A quote without marks must not be played as a move (mail-requirements.md Q3)."""
    from gemserver.mailgate.lines.commands import MoveLine, read_lines
    from gemserver.matches import replay

    delivery.send_queued()
    turn = next(
        message for message in mail.outbox if "It is your" in message.body or "To play" in message.body
    )
    seat = match.seats.get(is_waiting=True)
    for line in turn.body.splitlines():
        for read in read_lines(line):
            if isinstance(read, MoveLine):
                with pytest.raises(Exception, match="invalid"):
                    match.rules.parse(replay.position(match), seat.index, read.text)


def test_the_legal_moves_are_links_that_open_a_ready_reply(match: Match) -> None:
    delivery.send_queued()
    turn = next(message for message in mail.outbox if "To play" in message.body)
    html = str(turn.alternatives[0][0])
    seat = match.seats.get(is_waiting=True)
    assert f"mailto:{seat.reply_address}?subject=Re%3A%20GEM%20{match.code}&" in html
    assert "body=bid%200%20%231" in html
    assert "Or write your move" in html


def test_of_too_many_moves_for_links_a_few_are_offered_beside_the_way_to_write() -> None:
    match = make_match("jewellers", [make_user("ana"), make_user("ben")], now=clock.now())
    play(match, match.seats.get(is_waiting=True).index, "draw small")
    bidder = OutboxMessage.objects.filter(kind="turn").latest("pk")
    letter = delivery.write(bidder)
    assert letter
    html = str(letter.alternatives[0][0])
    assert html.count("body=") == 3
    assert "To play, write:" in html
    assert "Or write your move" in html


def test_nobody_gets_another_ones_reply_address(match: Match) -> None:
    delivery.send_queued()
    for seat in match.seats.select_related("user"):
        theirs = mails_to(seat.user.email)
        assert theirs
        for other in match.seats.exclude(pk=seat.pk):
            for message in theirs:
                assert other.token not in message.message().as_string()


def test_a_turn_that_is_over_is_not_announced_any_more(match: Match) -> None:
    asked = match.seats.get(is_waiting=True)
    play(match, asked.index, "bid 0", now=clock.now())
    answered = match.seats.get(is_waiting=True)
    play(match, answered.index, "pass", now=clock.now())
    delivery.send_queued()
    over = OutboxMessage.objects.get(dedup_key=f"turn:{match.pk}:{answered.index}:2")
    assert over.state == OutboxMessage.State.SKIPPED


def test_the_mail_about_the_start_asks_for_the_first_move(match: Match) -> None:
    """One mail instead of two; it asks no more once the player has moved, and still tells that the match began."""
    asked = match.seats.select_related("user").get(is_waiting=True)
    other = match.seats.select_related("user").get(is_waiting=False)
    assert asked.user
    assert other.user
    first = delivery.write(OutboxMessage.objects.get(user=asked.user))
    assert first
    text = " ".join(str(first.body).split())
    assert "has begun, and it is your turn." in text
    assert "To play, write: bid 0" in text
    assert f"{match.get_absolute_url()}deal/" in text
    assert "Answer it" not in text
    waiting = delivery.write(OutboxMessage.objects.get(user=other.user))
    assert waiting
    assert "To play" not in str(waiting.body)
    assert waiting.subject == f"[The match begins] GEM {match.code}"
    play(match, asked.index, "bid 0", now=clock.now())
    later = delivery.write(OutboxMessage.objects.get(user=asked.user, kind="turn"))
    assert later
    assert later.subject == f"[The match begins] GEM {match.code}"
    assert "To play" not in str(later.body)
    assert f"{match.get_absolute_url()}deal/" in str(later.body)


class RefusingBackend(EmailBackend):
    """A relay that refuses one address."""

    def send_messages(self, messages: Any) -> int:
        messages = list(messages)
        if any("ana@example.org" in message.to for message in messages):
            raise SMTPDataError(450, b"mailbox busy")
        return int(super().send_messages(messages))


class DownBackend(EmailBackend):
    """A relay that cannot be reached; its error names the recipient."""

    def send_messages(self, messages: Any) -> int:
        raise ConnectionRefusedError(f"no route for {[message.reply_to for message in messages]}")


class ErasingBackend(EmailBackend):
    """A relay that takes a mail while its reader's account is erased."""

    def send_messages(self, messages: Any) -> int:
        messages = list(messages)
        if any("ana@example.org" in message.to for message in messages):
            erase(User.objects.get(username="ana"), now=clock.now())
        return int(super().send_messages(messages))


@pytest.mark.django_db(transaction=True)
def test_an_account_that_is_erased_while_its_mail_is_sent_holds_up_no_other(
    match: Match, settings: Any
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.ErasingBackend"
    delivery.send_queued()
    assert "ben@example.org" in {message.to[0] for message in mail.outbox}
    assert not OutboxMessage.objects.filter(state="queued").exists()


def test_an_error_that_names_a_reply_address_is_kept_without_its_token(match: Match, settings: Any) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.DownBackend"
    delivery.send_queued()
    errors = " ".join(OutboxMessage.objects.values_list("last_error", flat=True))
    assert "play+…@" in errors
    assert not any(seat.token in errors for seat in match.seats.all())


def test_a_refused_mail_is_kept_and_tried_again_and_holds_up_no_other(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    delivery.send_queued()
    assert {message.to[0] for message in mail.outbox} == {"ben@example.org"}
    waiting = OutboxMessage.objects.filter(state="queued")
    assert {row.to for row in waiting} == {"ana@example.org"}
    assert all(row.attempts == 1 and "mailbox busy" in row.last_error for row in waiting)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    later = clock.now() + timedelta(hours=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    delivery.send_queued()
    assert not OutboxMessage.objects.filter(state="queued").exists()


@pytest.mark.slow
def test_a_mail_nobody_takes_ends_as_failed_for_the_moderator_to_see(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    now = clock.now()
    for _ in range(delivery.ATTEMPTS):
        now += delivery.RETRY_LONGEST
        monkeypatch.setattr(clock, "now", lambda now=now: now)
        delivery.send_queued()
    assert OutboxMessage.objects.filter(state="failed", to="ana@example.org").exists()


class AbsentRelay(EmailBackend):
    def send_messages(self, messages: object) -> int:
        raise ConnectionRefusedError("no relay")


@pytest.mark.slow
def test_no_mail_is_given_up_because_the_relay_is_away_for_days(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.AbsentRelay"
    now = clock.now()
    OutboxMessage.objects.filter(pk__gt=OutboxMessage.objects.earliest("pk").pk).delete()
    for _ in range(2 * delivery.ATTEMPTS + 5):
        now += delivery.RETRY_LONGEST
        monkeypatch.setattr(clock, "now", lambda now=now: now)
        delivery.send_queued()
    settings.EMAIL_BACKEND = backend
    monkeypatch.setattr(clock, "now", lambda: now + delivery.RETRY_LONGEST)
    delivery.send_queued()
    assert not OutboxMessage.objects.filter(state__in=["queued", "failed"]).exists()


def test_who_wants_no_mail_gets_none() -> None:
    quiet = make_user("quiet", mail_mode=User.MailMode.OFF)
    make_match(players=[quiet, make_user("ben")])
    assert not OutboxMessage.objects.filter(user=quiet).exists()


def test_opening_the_unsubscribe_link_changes_nothing_and_pressing_the_button_does(client: Client) -> None:
    ana = make_user("ana")
    url = f"/u/{ana.token}/"
    assert client.get(url).status_code == 200
    ana.refresh_from_db()
    assert ana.mail_mode == "turns"
    for _ in range(2):
        assert (
            Client(enforce_csrf_checks=True).post(url, {"List-Unsubscribe": "One-Click"}).status_code == 200
        )
    ana.refresh_from_db()
    assert ana.mail_mode == "off"
    assert client.get("/u/aaaaaaaaaaaaaaaaaaaaaaaaaa/").status_code == 404


def test_times_are_in_the_readers_zone() -> None:
    players = [make_user("ana", time_zone="Europe/Paris"), make_user("ben", time_zone="Asia/Tokyo")]
    make_match(players=players, now=clock.now())
    delivery.send_queued()
    turn = next(message for message in mail.outbox if "Your move is due" in message.body)
    zone = "CE" if turn.to == ["ana@example.org"] else "JST"
    assert zone in turn.body


def test_no_name_stands_in_a_subject_and_it_stays_short() -> None:
    players = [make_user("x" * 60), make_user("y" * 60)]
    make_match(players=players, now=clock.now())
    delivery.send_queued()
    assert all(len(message.subject) <= 78 for message in mail.outbox)
    assert not any("xx" in message.subject or "yy" in message.subject for message in mail.outbox)
    assert settings.MAIL_DOMAIN in mail.outbox[0].extra_headers["Message-ID"]
