"""Mails from unknown addresses are held, and the player is asked about them on a page."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.answers import MOST_ASKED_ABOUT
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Match, Seat
from tests.builders import asked
from tests.mailgate.letters import letter, receive
from tests.mailgate.test_reply_plays import match, sent

pytestmark = pytest.mark.django_db

__all__ = ("match",)


def test_a_stranger_with_the_right_address_is_held_and_the_player_asked(match: Match, seat: Seat) -> None:
    """mail-requirements.md S4, threat 2."""
    row = receive(seat, letter(seat, "bid 1", sender="mallory@elsewhere.example"))
    assert (row.state, row.code) == ("held", "foreign-sender")
    assert match.moves.count() == 0
    (question,) = sent("held")
    assert question.to == [seat.user.email]
    assert "mallory@elsewhere.example" in question.body
    assert "* bid 1" in question.body


def _held_page() -> str:
    body = sent("held")[0].body
    return next(word for word in body.split() if "/mail/held/" in word).removeprefix("http://localhost:8000")


def test_looking_at_the_question_changes_nothing_and_once_runs_the_mail(
    match: Match, seat: Seat, client: Client
) -> None:
    """mail-requirements.md S4, threat 21."""
    receive(seat, letter(seat, "bid 1", sender="work@elsewhere.example"))
    page = _held_page()
    assert client.get(page).status_code == 200
    assert InboundEmail.objects.get().state == "held"
    client.post(page, {"choice": "once"})

    processing.process_stored()
    assert match.moves.get().text == "bid 1"
    assert receive(asked(match), letter(seat, "pass")).code != "", "the seat's own turn is over"
    assert "work@elsewhere.example" not in seat.user.verified_addresses()


def test_the_question_shows_the_subject_which_is_carried_out_where_the_text_says_nothing(
    match: Match, seat: Seat, client: Client
) -> None:
    """mail-requirements.md S4, T7: the player was shown a greeting, and a move was played."""
    receive(seat, letter(seat, "Are you there?", sender="mallory@elsewhere.example", Subject="bid 1"))
    assert "* Are you there?\n  * bid 1" in sent("held")[0].body
    page = client.get(_held_page()).content
    assert b"<code>bid 1</code>" in page
    assert b'<button name="choice" value="once">' in page


def test_trusting_the_sender_accepts_its_later_mails(match: Match, seat: Seat, client: Client) -> None:
    receive(seat, letter(seat, "bid 1", sender="work@elsewhere.example"))
    client.post(_held_page(), {"choice": "trust"})
    assert "work@elsewhere.example" in seat.user.verified_addresses()


def test_refusing_gives_a_new_reply_address_and_kills_the_old_one(
    match: Match, seat: Seat, client: Client
) -> None:
    """mail-requirements.md S4, A4."""
    old = seat.reply_address
    receive(seat, letter(seat, "bid 1", sender="mallory@elsewhere.example"))
    client.post(_held_page(), {"choice": "refuse"})
    seat.refresh_from_db()
    assert seat.reply_address != old
    row = ingest(letter(seat, "bid 1", To=old), seat.user.email, old, "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("refused", "former-address")
    assert match.moves.count() == 0


def test_the_question_is_answered_by_nobody_who_reads_mail_at_an_address_that_was_given_up(
    match: Match, seat: Seat, client: Client
) -> None:
    """Whoever does could trust an address of their own, and sign in with it."""
    row = receive(seat, letter(seat, "bid 1", sender="mallory@elsewhere.example"))
    page = _held_page()
    EmailAddress.objects.create(user=seat.user, email="new@example.org", verified=True)
    assert client.get(page).status_code == 200
    EmailAddress.objects.filter(email=seat.user.email).delete()
    for choice in ("once", "trust", "refuse"):
        assert client.post(page, {"choice": choice}).status_code == 404
    row.refresh_from_db()
    assert row.state == "held"
    assert seat.user.verified_addresses() == {"new@example.org"}


def test_a_guessed_link_to_the_question_is_not_found(match: Match, seat: Seat, client: Client) -> None:
    row = receive(seat, letter(seat, "bid 1", sender="mallory@elsewhere.example"))
    assert client.post(f"/mail/held/{row.pk}/aaaaaaaaaa/", {"choice": "once"}).status_code == 404


def test_the_player_is_asked_once_a_day_only(match: Match, seat: Seat) -> None:
    """mail-requirements.md S4."""
    receive(seat, letter(seat, "bid 1", sender="mallory@elsewhere.example"))
    row = receive(seat, letter(seat, "bid 2", sender="mallory@elsewhere.example"))
    assert (row.state, row.code) == ("dropped", "foreign-sender")
    assert len(sent("held")) == 1


def test_a_forger_does_not_use_up_the_questions_about_others(
    match: Match, seat: Seat, settings: object
) -> None:
    """mail-requirements.md S4."""
    settings.MAIL_AUTH = "normal"  # type: ignore[attr-defined]
    states = [
        receive(seat, letter(seat, "bid 1", sender=f"mallory{number}@{proof}.example"), dmarc=proof).state
        for proof in ("none", "pass")
        for number in range(MOST_ASKED_ABOUT + 1)
    ]
    assert states == [*["held"] * MOST_ASKED_ABOUT, "dropped"] * 2
    assert len(sent("held")) == 2 * MOST_ASKED_ABOUT


def test_a_forger_does_not_use_up_the_question_about_the_address_that_is_forged(
    match: Match, seat: Seat, settings: object
) -> None:
    """mail-requirements.md S4."""
    settings.MAIL_AUTH = "normal"  # type: ignore[attr-defined]
    receive(seat, letter(seat, "bid 2", sender="work@elsewhere.example"))
    assert receive(seat, letter(seat, "bid 1", sender="work@elsewhere.example"), dmarc="pass").state == "held"
