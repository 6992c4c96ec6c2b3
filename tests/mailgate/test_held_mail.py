"""Mails from unknown addresses are held, and the player is asked about them on a page."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.answering.answers import MOST_ASKED_ABOUT
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Match, Move, Seat
from tests.builders import NOON, asked, make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.mailgate.test_digest import EIGHT, ana, match_that_waits_for, sent_digests
from tests.mailgate.test_reply_plays import match, sent

pytestmark = pytest.mark.django_db

__all__ = ("ana", "match")


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


def test_the_senders_address_becomes_the_players_by_a_code_alone(
    match: Match, seat: Seat, client: Client
) -> None:
    """A button made any address that one could forge into one's own: its owner could have no account any more.

    And an export had the mails that came from it, with the reply addresses of others.
    """
    receive(seat, letter(seat, "bid 1", sender="work@elsewhere.example"))
    page = client.post(_held_page(), {"choice": "add"}).content.decode()
    processing.process_stored()
    assert match.moves.get().text == "bid 1"
    assert seat.user.verified_addresses() == {seat.user.email}
    found = re.search(r'href="(/accounts/email/\?[^"]+)"', page)
    assert found
    client.force_login(seat.user)
    assert 'value="work@elsewhere.example"' in client.get(found[1]).content.decode()


def test_time_runs_until_the_player_says_that_a_held_mail_was_theirs(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a player could send several moves to be held, think for two days, and release one that counts as of then."""
    monkeypatch.setattr(clock, "now", lambda: NOON)
    players = [make_user("dora"), make_user("eva")]
    seat = asked(make_match(players=players, time_control=PRESETS["14d+1d"]))
    receive(seat, letter(seat, "bid 1", sender="work@elsewhere.example"))
    page = _held_page()
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(hours=47))
    client.post(page, {"choice": "once"})
    processing.process_stored()
    played = seat.match.moves.get()
    assert (played.text, played.created_at) == ("bid 1", NOON + timedelta(hours=47))
    assert Seat.objects.get(pk=seat.pk).clock_left == timedelta(days=14) - timedelta(hours=47) + timedelta(
        days=1
    )


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
    """Whoever does could have a mail of their own carried out."""
    row = receive(seat, letter(seat, "bid 1", sender="mallory@elsewhere.example"))
    page = _held_page()
    EmailAddress.objects.create(user=seat.user, email="new@example.org", verified=True)
    assert client.get(page).status_code == 200
    EmailAddress.objects.filter(email=seat.user.email).delete()
    for choice in ("once", "add", "refuse"):
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


@pytest.fixture
def digest_answered_from_work(ana: User, monkeypatch: pytest.MonkeyPatch) -> InboundEmail:
    """A mail with moves for two matches, in answer to ana's digest, from an address that is not the account's."""
    codes = [match_that_waits_for(ana, name).code for name in ("ben", "cy")]
    (digest,) = sent_digests(monkeypatch, EIGHT)
    seat = Seat.objects.select_related("user").filter(user=ana).first()
    raw = letter(
        seat,
        f"{codes[0]}: bid 1\n{codes[1]}: bid 2",
        sender="work@elsewhere.example",
        answering=digest,
        To=digest.reply_to[0],
    )
    row = ingest(raw, "work@elsewhere.example", digest.reply_to[0], "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    return row


def test_an_answer_to_a_digest_from_elsewhere_is_asked_about_and_then_carried_out(
    ana: User, digest_answered_from_work: InboundEmail, client: Client
) -> None:
    """mail-requirements.md S4: it was dropped, and its writer believed to have played in every match."""
    assert (digest_answered_from_work.state, Move.objects.filter(actor=ana).count()) == ("held", 0)
    (question,) = sent("held")
    assert (question.to, question.reply_to) == ([ana.email], [f"me+{ana.token}@gem.localhost"])
    first, second = Match.objects.order_by("pk")
    for shown in (question.body, question.alternatives[0][0]):
        assert "work@elsewhere.example" in shown
        assert f"{first.code}: bid 1" in shown
        assert f"{second.code}: bid 2" in shown
    page = client.get(_held_page()).content.decode()
    assert "the reply address of your account" in page
    assert f"<code>{second.code}: bid 2</code>" in page
    client.post(_held_page(), {"choice": "once"})
    processing.process_stored()
    assert [move.text for move in Move.objects.filter(actor=ana).order_by("match")] == ["bid 1", "bid 2"]


def test_refusing_an_answer_to_a_digest_gives_the_account_a_new_address(
    ana: User, digest_answered_from_work: InboundEmail, client: Client
) -> None:
    old = ana.token
    answer = client.post(_held_page(), {"choice": "refuse"})
    assert "your account has a new reply address" in answer.content.decode()
    processing.process_stored()
    ana.refresh_from_db()
    assert ana.token != old
    assert not Move.objects.filter(actor=ana).exists()
    assert client.post(_held_page(), {"choice": "once"}).status_code == 200
    digest_answered_from_work.refresh_from_db()
    assert digest_answered_from_work.state == "refused", "a question is answered once"


def test_a_mail_to_the_account_is_gone_with_its_account(
    ana: User, digest_answered_from_work: InboundEmail, client: Client
) -> None:
    page = _held_page()
    ana.delete()
    assert client.post(page, {"choice": "once"}).status_code == 404
