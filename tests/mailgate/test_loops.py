"""Two machines that answer each other, and mail that tries to be two.

See mail-requirements.md L1-L9, threats 15-18, 23, 27.
"""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes

import pytest
from django.core import mail as outbox

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.header import UnreadableMail
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.parse import parse
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.mailgate.test_smtp_receiver import certificate, receiving, unverified  # noqa: F401


@pytest.fixture
def match(db) -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")], server_part="22" * 32, now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    """Ana's, who has the turn."""
    return match.seats.select_related("user", "match").get(is_waiting=True)


def answers() -> int:
    return OutboxMessage.objects.filter(kind="receipt").count()


# --- What we send, what we obey -------------------------------------------------------------------


def test_every_mail_says_that_a_machine_wrote_it(match) -> None:
    """mail-requirements.md L1."""
    delivery.send_queued()
    assert outbox.outbox
    for sent in outbox.outbox:
        header = message_from_bytes(sent.message().as_bytes())
        assert header["Auto-Submitted"] == "auto-generated"
        assert header["X-Auto-Response-Suppress"] == "OOF, AutoReply, DR, RN, NRN"
        assert header["Precedence"] == "list"
        assert header["X-Gemserver-Loop"] == "gem.localhost"


@pytest.mark.parametrize("value", ["All", "None", "OOF, AutoReply"])
def test_what_exchange_adds_to_ordinary_mail_stops_no_move(value: str, seat) -> None:
    """mail-requirements.md L5."""
    row = receive(seat, letter(seat, "bid 1", X_Auto_Response_Suppress=value))
    assert row.state == InboundEmail.State.DONE


@pytest.mark.parametrize(
    "subject", ["Automatic reply: [GEM M1] Ana, Ben", "Abwesenheitsnotiz", "Réponse automatique : x"]
)
def test_a_vacation_notice_that_only_its_subject_betrays_is_not_answered(subject: str, seat) -> None:
    """mail-requirements.md L6."""
    row = receive(seat, letter(seat, "I am away until Monday and will read your mail then.", Subject=subject))
    assert (row.state, row.code) == (InboundEmail.State.DROPPED, "automatic:subject")
    assert not answers()


def test_a_move_under_such_a_subject_is_played_all_the_same(seat) -> None:
    """mail-requirements.md L6: a reason to doubt, not to drop."""
    row = receive(seat, letter(seat, "bid 1", Subject="Automatic reply: my move"))
    assert row.state == InboundEmail.State.DONE


def test_our_own_mail_coming_back_is_not_answered(match, seat) -> None:
    """mail-requirements.md L7: a mailbox that sends everything on to the reply address."""
    delivery.send_queued()
    for sent in list(outbox.outbox):
        ingest(sent.message().as_bytes(), "ana@example.org", seat.reply_address, "smtp", {})
    without_field = letter(seat, "bid 1", sender="play@gem.localhost")
    assert receive(seat, without_field).code == "own-mail"
    assert set(InboundEmail.objects.values_list("state", flat=True)) == {InboundEmail.State.DROPPED}
    assert not answers()


# --- Caps (mail-requirements.md L8) ---------------------------------------------------------------


def respond(seat: Seat, number: int) -> None:
    """An answering machine that does not call itself one, and never says the same twice."""
    receive(seat, letter(seat, f"Thank you! Your ticket is {number}.", Subject=f"Ticket {number}"))


@pytest.mark.slow
def test_a_ticket_system_gets_five_answers_an_hour_and_twenty_a_day(seat, monkeypatch) -> None:
    """mail-requirements.md L8, threats 15 and 23."""
    start = clock.now()
    counts = []
    for hour in range(6):
        monkeypatch.setattr(clock, "now", lambda hour=hour: start + timedelta(hours=hour, minutes=hour))
        for number in range(8):
            respond(seat, 100 * hour + number)
        counts.append(answers())
    assert counts == [5, 10, 15, 20, 20, 20]


def test_the_cap_of_one_match_does_not_silence_another(seat, match) -> None:
    """mail-requirements.md L8."""
    for number in range(8):
        respond(seat, number)
    other = make_match(players=[seat.user, make_user("cy")], server_part="22" * 32, now=clock.now())
    respond(Seat.objects.select_related("user", "match").get(match=other, user=seat.user), 99)
    assert answers() == 6


def test_players_of_one_provider_do_not_share_a_cap(db, monkeypatch) -> None:
    """mail-requirements.md L8: a hundred answers an hour for all of gmail.com left the next person unanswered."""
    from gemserver.mailgate.answering import answers as rules

    monkeypatch.setattr(rules, "PER_SENDER_AND_HOUR", 7)
    for number in range(5):
        players = [make_user(f"{name}{number}") for name in ("ana", "ben")]
        made = make_match(players=players, now=clock.now())
        seat = made.seats.select_related("user", "match").get(index=0)
        respond(seat, 2 * number)
        respond(seat, 2 * number + 1)
    assert answers() == 10


def test_the_last_answer_says_that_more_will_not_come_and_what_to_do(seat) -> None:
    """mail-requirements.md L8: nobody is left wondering."""
    for number in range(8):
        respond(seat, number)
    delivery.send_queued()
    told = [str(sent.body) for sent in outbox.outbox if "Not done" in str(sent.body)]
    assert len(told) == 5
    says = ["are not answered again before" in " ".join(body.split()) for body in told]
    assert says == [False, False, False, False, True]
    assert "play on the web: http" in " ".join(told[-1].split())


def last_answer() -> str:
    delivery.send_queued()
    return " ".join(str(outbox.outbox[-1].body).split())


@pytest.mark.slow
def test_it_says_until_when_in_the_players_zone_and_keeps_its_word(seat, monkeypatch) -> None:
    """After five in an hour the first of them leaves the hour first; after twenty in a day, the first of the day."""
    start = datetime(2026, 3, 6, 12, tzinfo=UTC)
    type(seat.user).objects.filter(pk=seat.user.pk).update(time_zone="Europe/Paris")
    told = []
    for hour in range(4):
        for number in range(7):
            at = start + timedelta(hours=2 * hour, minutes=number)
            monkeypatch.setattr(clock, "now", lambda at=at: at)
            respond(seat, 10 * hour + number)
        told.append(last_answer())
    untils = [body.partition("answered again before ")[2].split(",")[0] for body in told]
    assert untils == [
        "Fri 6 Mar 14:00 CET",
        "Fri 6 Mar 16:00 CET",
        "Fri 6 Mar 18:00 CET",
        "Sat 7 Mar 13:00 CET",
    ]
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(hours=23, minutes=59))
    respond(seat, 98)
    assert answers() == 20
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(hours=24, seconds=1))
    respond(seat, 99)
    assert answers() == 21


def test_the_same_words_again_are_told_that_they_are_not_answered_a_third_time(seat) -> None:
    """A player who tries the same once more is not left alone with silence."""
    for number, expected in enumerate([False, True, True]):
        receive(seat, letter(seat, "bid 99", Subject=f"Try {number}"))
        assert ("are not answered again before" in last_answer()) == expected
    assert answers() == 2
    receive(seat, letter(seat, "bid 98"))
    assert "are not answered again before" not in last_answer()


@pytest.mark.parametrize("text", ["help", "unsubscribe"])
def test_what_the_last_answer_says_still_works_does_work(text: str, seat) -> None:
    for number in range(8):
        respond(seat, number)
    assert "“help” and “unsubscribe”" in last_answer()
    assert receive(seat, letter(seat, text)).state == InboundEmail.State.DONE
    assert answers() == 6


@pytest.mark.slow
@pytest.mark.parametrize("text", ["help", "status", "unsubscribe", "bid 1"])
def test_a_right_command_is_answered_however_often_others_failed(text: str, seat) -> None:
    """mail-requirements.md L8."""
    for number in range(30):
        respond(seat, number)
    assert answers() == 5
    assert receive(seat, letter(seat, text)).state == InboundEmail.State.DONE
    assert answers() == 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["Thank you! Ticket {}.", "Thank you! Your ticket is open.", "help\n\nTicket {}"]
)
def test_two_responders_that_answer_each_other_fall_silent(text: str, seat) -> None:
    """mail-requirements.md L8, threat 15: each answer of ours makes the other machine write again."""
    written = 0
    receive(seat, letter(seat, text.format(written)))
    for _ in range(300):
        before = answers()
        written += 1
        receive(seat, letter(seat, text.format(written)))
        if answers() == before:
            break
    assert written <= 100


@pytest.mark.slow
def test_honest_play_is_never_silenced(match, seat) -> None:
    """mail-requirements.md L8 counts only answers to mails without an accepted command."""
    for number in range(30):
        receive(seat, letter(seat, f"status\n\nletter {number}"))
    assert answers() == 30
    assert receive(seat, letter(seat, "bid 1")).state == InboundEmail.State.DONE
    assert answers() == 31


# --- No answers to bystanders (mail-requirements.md threat 16) ------------------------------------


@pytest.mark.parametrize("source", ["webhook", "imap", "pipe"])
def test_a_forged_stranger_gets_no_mail(source: str, db) -> None:
    """mail-requirements.md L9, threat 16: neither for an unknown token nor for one that was never given."""
    for to in ("play+abcdefghijklmnopqrstuvwx27@gem.localhost", "nobody@gem.localhost", ""):
        raw = f"From: victim@example.net\nTo: {to}\nSubject: hello\nMessage-ID: <{to}@x>\n\nresign yes\n".encode()
        ingest(raw, "victim@example.net", to, source, {})
    processing.process_stored()
    assert not OutboxMessage.objects.exists()


# --- One mail stays one mail (mail-requirements.md threats 17, 18) --------------------------------


@pytest.fixture
def client(transactional_db) -> Iterator[smtplib.SMTP]:
    """A connection, past EHLO; what is sent through it is not tidied up."""
    make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    with receiving() as port, smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.ehlo()
        yield client


@pytest.mark.slow
@pytest.mark.parametrize(
    "end", [b"\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\n", b"\r\n.\r", b"\r.\r\n", b"\n.\r"]
)
def test_a_mail_is_not_ended_by_another_end_of_line(end: bytes, client) -> None:
    """mail-requirements.md threat 17: one server's text must not be another's second mail."""
    to = Seat.objects.get(index=0).reply_address
    client.mail("ana@example.org")
    client.rcpt(to)
    assert client.docmd("DATA")[0] == 354
    smuggled = (
        f"MAIL FROM:<ben@example.org>\r\nRCPT TO:<{to}>\r\nDATA\r\nFrom: ben@example.org\r\n\r\nresign yes"
    )
    text = b"From: ana@example.org\r\nMessage-ID: <1@x>\r\n\r\nhello" + end + smuggled.encode()
    client.send(text + b"\r\n.\r\n")
    assert client.getreply()[0] == 250
    assert client.noop()[0] == 250  # nothing more is answered than was asked
    stored = InboundEmail.objects.get()
    assert stored.envelope_from == "ana@example.org"
    assert b"RCPT TO" in bytes(stored.raw)


def test_what_was_said_before_tls_is_forgotten(transactional_db, certificate) -> None:  # noqa: F811
    """mail-requirements.md threat 18: commands that were put behind STARTTLS are not carried out inside it."""
    with receiving() as port, smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.ehlo()
        client.send(b"STARTTLS\r\nMAIL FROM:<eve@attacker.example>\r\nRCPT TO:<play@gem.localhost>\r\n")
        assert client.getreply()[0] == 220
        client.sock = unverified().wrap_socket(client.sock)
        client.file = None
        assert client.ehlo()[0] == 250
        assert client.docmd("DATA")[0] == 503


def test_no_mail_is_relayed(client) -> None:
    """mail-requirements.md threat 19."""
    client.mail("ana@example.org")
    for address in (
        "friend@elsewhere.example",
        "friend%elsewhere.example@gem.localhost",
        "@gem.localhost:friend@elsewhere.example",
    ):
        assert client.docmd(f"RCPT TO:<{address}>")[0] // 100 == 5


# --- Cheap to read (mail-requirements.md threat 27) -----------------------------------------------


@pytest.mark.parametrize("field", ["To", "References", "From", "In-Reply-To"])
def test_a_field_of_a_megabyte_is_not_read(field: str) -> None:
    """mail-requirements.md threat 27 and M1."""
    value = ", ".join(f"<a{number}@example.net>" for number in range(40_000))
    with pytest.raises(UnreadableMail):
        parse(f"From: ana@example.org\r\n{field}: {value}\r\n\r\nbid 1\r\n".encode())


def test_only_so_many_addresses_and_ids_are_kept() -> None:
    """mail-requirements.md threat 27."""
    many = ", ".join(f"<a{number}@b.example>" for number in range(300))
    read = parse(f"From: ana@example.org\r\nTo: {many}\r\nReferences: {many}\r\n\r\nbid 1\r\n".encode())
    assert (len(read.recipients), len(read.references)) == (100, 100)
