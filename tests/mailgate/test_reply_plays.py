"""Playing by replying to the turn mail, and mails that cannot be played."""

from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import mail_ids, replay
from gemserver.matches.models import ChatMessage, Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import asked, make_match, make_user, play
from tests.mailgate.letters import letter, receive

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    """Ana, Ben and Cy at GEM, just started; the Oya, whoever it is, has the turn."""
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


def sent(kind: str) -> list[EmailMultiAlternatives]:
    """The mails of one kind that were sent, after sending the queued ones."""
    delivery.send_queued()
    ids = set(OutboxMessage.objects.filter(kind=kind).values_list("message_id", flat=True))
    return [message for message in mail.outbox if message.extra_headers["Message-ID"] in ids]


def test_a_reply_with_a_move_plays_it_and_is_answered_with_a_receipt(match: Match, seat: Seat) -> None:
    """mail-requirements.md S1."""
    row = receive(seat, letter(seat, "bid 1", answering=sent("turn")[0]))
    assert (row.state, row.code) == ("done", "")
    move = match.moves.get(ply=1)
    assert (move.text, move.source, move.actor) == ("bid 1", "mail", seat.user)
    (receipt,) = sent("receipt")
    assert receipt.to == [seat.user.email]
    assert "OK: bid 1" in receipt.body
    assert receipt.extra_headers["Auto-Submitted"] == "auto-replied"
    assert receipt.extra_headers["In-Reply-To"] == f"<{row.message_id}>"


def test_the_next_player_gets_a_turn_mail_that_tells_what_happened(match: Match, seat: Seat) -> None:
    receive(seat, letter(seat, "bid 1"))
    following = asked(match)
    (turn,) = [message for message in sent("turn") if message.to == [following.user.email]]
    assert f"{seat.user.username} bids 1." in turn.body
    assert "To play, write:  bid 2" in turn.body
    assert turn.reply_to == [following.reply_address]
    assert turn.extra_headers["Auto-Submitted"] == "auto-generated"
    images = [part for part in turn.attachments if part.get_content_type() == "image/png"]
    assert images[0]["Content-ID"] == "<board>"
    assert len(images[0].get_payload(decode=True)) <= 40_000


def test_the_same_mail_twice_acts_once_and_is_answered_once(match: Match, seat: Seat) -> None:
    """mail-requirements.md I1, threat 4."""
    raw = letter(seat, "bid 1")
    receive(seat, raw)
    row = receive(seat, raw)
    assert row.copies == 2
    assert match.moves.count() == 1
    assert len(sent("receipt")) == 1


def test_a_mail_that_is_processed_again_after_a_crash_is_answered_as_the_first_time(match: Match) -> None:
    """The line is read again after the auction was won, when the short word means nothing."""
    for text in ("bid 0", "pass"):
        play(match, asked(match).index, text)
    last = asked(match)
    row = receive(last, letter(last, "b 1"))
    first = row.results
    InboundEmail.objects.update(state="stored", claimed_until=None)
    moves = match.moves.count()
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.results) == ("done", first)
    assert match.moves.count() == moves


def test_another_mail_under_the_same_message_id_is_not_lost(match: Match, seat: Seat) -> None:
    """mail-requirements.md I1."""
    receive(seat, letter(seat, "bid 9", Message_ID="<same@client.example.org>"))
    row = receive(seat, letter(seat, "bid 1", Message_ID="<same@client.example.org>"))
    assert row.state == "done"
    assert InboundEmail.objects.count() == 2


def test_a_mail_without_message_id_is_played_once(match: Match, seat: Seat) -> None:
    """mail-requirements.md I1, I2."""
    raw = letter(seat, "bid 1", Message_ID="")
    receive(seat, raw)
    receive(seat, raw)
    assert match.moves.count() == 1


def test_an_illegal_move_changes_nothing_and_the_receipt_says_what_to_do(match: Match, seat: Seat) -> None:
    row = receive(seat, letter(seat, "bid 7"))
    assert (row.state, row.code) == ("refused", "too-high")
    assert match.moves.count() == 0
    (receipt,) = sent("receipt")
    assert receipt.body.splitlines()[2].startswith("NOT played")
    assert "bid 7" in receipt.body
    assert "To play, write:  bid 0" in receipt.body


def test_a_reply_to_an_older_turn_is_never_played(match: Match, seat: Seat) -> None:
    """mail-requirements.md T1, T2, threat 4."""
    old_turn = sent("turn")[0]
    receive(seat, letter(seat, "bid 0"))
    while asked(match).pk != seat.pk:
        other = asked(match)
        play(
            match,
            other.index,
            match.rules.write(next(match.rules.legal_moves(_position(match), other.index))),
        )
    before = match.moves.count()
    row = receive(seat, letter(seat, "bid 2", answering=old_turn))
    assert (row.state, row.code) == ("refused", "stale")
    assert match.moves.count() == before
    assert "NOT played: your mail answers an older turn" in sent("receipt")[-1].body


def _position(match: Match) -> object:

    return replay.position(Match.objects.get(pk=match.pk))


def test_the_number_behind_a_move_binds_it_to_that_turn(match: Match, seat: Seat) -> None:
    """mail-requirements.md T1."""
    row = receive(seat, letter(seat, "bid 1 #99"))
    assert (row.state, row.code) == ("refused", "stale")
    assert receive(seat, letter(seat, "bid 1 #1")).state == "done"


def test_out_of_turn_is_refused_with_the_position(match: Match, seat: Seat) -> None:
    other = match.seats.select_related("user", "match").exclude(pk=seat.pk).first()
    assert other is not None
    row = receive(other, letter(other, "pass"))
    assert (row.state, row.code) == ("refused", "not-your-turn")


GREETINGS = (
    *(
        "Hi all",
        "Hello everyone",
        "Good evening everybody!",
        "Hey folks,",
        "Hello you two",
        "Greetings everyone",
    ),
    *(
        "Hallo zusammen",
        "Hallo ihr Lieben",
        "Servus miteinander",
        "Grüezi mitenand",
        "Grüß euch",
        "Liebe Leute,",
    ),
    *(
        "Bonjour à tous",
        "Bonjour à toutes et à tous",
        "Salut la compagnie",
        "Salut les amis !",
        "Chers tous,",
    ),
)


@pytest.mark.parametrize("greeting", GREETINGS)
def test_a_greeting_of_the_whole_table_is_in_nobodys_way(seat: Seat, greeting: str) -> None:
    row = receive(seat, letter(seat, f"{greeting}\nbid 1"))
    assert row.state == "done"
    assert seat.match.moves.filter(text="bid 1").exists()
    (receipt,) = sent("receipt")
    assert greeting.rstrip(" ,!\xa0") not in receipt.body


def test_greeting_and_signature_are_reported_but_stop_nothing(match: Match, seat: Seat) -> None:
    row = receive(seat, letter(seat, "Hi all,\nbid 1\nSee you at the club"))
    assert row.state == "done"
    assert [result["outcome"] for result in row.results] == ["unread", "done", "unread"]


def test_a_refused_move_stops_the_later_moves(match: Match, seat: Seat) -> None:
    row = receive(seat, letter(seat, "bid 7\nbid 1"))
    assert [result["code"] for result in row.results] == ["too-high", "not-reached"]
    assert match.moves.count() == 0


@pytest.mark.parametrize(
    ("above", "played"), [("undo", 0), ("agree", 0), ("return", 0), ("zone Nowhere/Land", 1), ("leave", 1)]
)
def test_a_move_is_not_tried_where_what_should_have_come_before_it_was_refused(
    match: Match, seat: Seat, above: str, played: int
) -> None:
    """mail-requirements.md T4: it was played in another position than it was written for."""
    row = receive(seat, letter(seat, f"{above}\nbid 1\nsay Hello"))
    outcomes = [result["outcome"] for result in row.results]
    assert outcomes == ["refused", "done" if played else "refused", "done"]
    assert match.moves.count() == played


def test_preview_shows_and_does_not_play(match: Match, seat: Seat) -> None:
    row = receive(seat, letter(seat, "preview bid 1"))
    assert row.state == "done"
    assert match.moves.count() == 0
    assert "This is how it would stand after: bid 1" in sent("receipt")[0].body


def test_an_automatic_answer_is_kept_and_neither_played_nor_answered(match: Match, seat: Seat) -> None:
    """mail-requirements.md L2."""
    row = receive(seat, letter(seat, "bid 1", Auto_Submitted="auto-replied"))
    assert row.state == "dropped"
    assert row.code.startswith("automatic")
    assert row.raw is not None
    assert match.moves.count() == 0
    assert sent("receipt") == []


def test_the_subject_is_a_move_when_the_text_holds_no_command(match: Match, seat: Seat) -> None:
    """mail-requirements.md T7."""
    assert receive(seat, letter(seat, "Thanks!", Subject="bid 1")).state == "done"
    assert match.moves.get().text == "bid 1"


@pytest.mark.parametrize(
    ("subject", "text"), [("Hello", "what now"), ("Gem", "bidd 33 then"), ("Question", "?")]
)
def test_above_a_text_a_subject_that_is_no_command_is_not_told(subject: str, text: str, seat: Seat) -> None:
    row = receive(seat, letter(seat, text, Subject=subject))
    assert subject not in [result["line"] for result in row.results]


@pytest.mark.parametrize("text", ["", "Hello,"])
def test_alone_it_is_told(text: str, seat: Seat) -> None:
    row = receive(seat, letter(seat, text, Subject="bidd 33"))
    assert "bidd 33" in [result["line"] for result in row.results]


def test_the_subject_is_not_read_when_the_text_holds_a_command(match: Match, seat: Seat) -> None:
    """mail-requirements.md T7."""
    row = receive(seat, letter(seat, "bid 7", Subject="bid 1"))
    assert (row.state, row.code) == ("refused", "too-high")
    assert match.moves.count() == 0


def test_a_mailing_list_is_obeyed_only_under_our_address(match: Match, seat: Seat) -> None:
    """mail-requirements.md L4."""
    turn = sent("turn")[0]
    raw = letter(seat, "bid 1", answering=turn, To="play@gem.localhost", Precedence="list")
    row = ingest(raw, seat.user.email, "play@gem.localhost", "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("dropped", "mailing-list")
    for number, field in enumerate(({"Precedence": "list"}, {"List_Id": "<gems.lists.example>"}), start=2):
        sent_on = receive(seat, letter(seat, f"bid {number}", To="list@x.example", **field))
        assert (sent_on.state, sent_on.code) == ("dropped", "mailing-list")
    raw = letter(seat, "bid 1", Precedence="list", List_Id="<gems.lists.example>")
    assert receive(seat, raw).state == "done"


def test_a_mail_to_nobody_is_kept_and_not_answered(match: Match, seat: Seat) -> None:
    """mail-requirements.md L9, threat 16."""
    row = ingest(
        letter(seat, "bid 1", To="nobody@gem.localhost"), seat.user.email, "nobody@gem.localhost", "smtp", {}
    )

    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("dropped", "no-address")
    assert sent("receipt") == []


def test_a_reply_without_token_needs_a_proved_sender(match: Match, seat: Seat, settings: object) -> None:
    """mail-requirements.md A6."""
    turn = sent("turn")[0]
    raw = letter(seat, "bid 1", answering=turn, To="play@gem.localhost")
    settings.MAIL_AUTH = "normal"  # type: ignore[attr-defined]
    row = ingest(raw, seat.user.email, "play@gem.localhost", "smtp", {})

    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("refused", "unproved")
    proved = letter(
        seat,
        "bid 1\n",
        answering=turn,
        To="play@gem.localhost",
        Message_ID="<2@client.example.org>",
        Date=format_datetime(clock.now()),
    )
    ingest(proved, seat.user.email, "play@gem.localhost", "smtp", {"dmarc": "pass"})
    processing.process_stored()
    assert match.moves.get().text == "bid 1"


def test_a_forged_sender_is_refused_and_the_player_told_once_a_day(
    match: Match, seat: Seat, settings: object
) -> None:
    """mail-requirements.md S3, threat 1."""
    settings.MAIL_AUTH = "normal"  # type: ignore[attr-defined]
    row = receive(seat, letter(seat, "bid 1"), dmarc="fail")
    assert (row.state, row.code) == ("refused", "forged")
    receive(seat, letter(seat, "bid 2"), dmarc="fail")
    assert match.moves.count() == 0
    assert len(sent("receipt")) == 1


def test_authentication_results_count_only_under_our_own_servers_name(
    match: Match, seat: Seat, settings: object
) -> None:
    """mail-requirements.md S2, threat 7."""
    settings.MAIL_AUTH, settings.MAIL_AUTHSERV_ID = "strict", "mx.example.net"  # type: ignore[attr-defined]
    forged = letter(
        seat, "bid 1", Authentication_Results="mx.attacker.example; dmarc=pass header.from=example.org"
    )
    assert receive(seat, forged, source="lmtp").code == "unproved"
    genuine = letter(
        seat, "bid 1", Authentication_Results="mx.example.net; dkim=pass; dmarc=pass header.from=example.org"
    )
    assert receive(seat, genuine, source="lmtp").state == "done"


def test_two_senders_in_from_are_dropped(match: Match, seat: Seat) -> None:
    """mail-requirements.md S5."""
    row = receive(seat, letter(seat, "bid 1", sender=f"{seat.user.email}, mallory@elsewhere.example"))
    assert (row.state, row.code) == ("dropped", "several-senders")


def test_unsubscribe_by_reply_stops_turn_mails_but_is_confirmed(match: Match, seat: Seat) -> None:
    """mail-requirements.md U3."""
    row = receive(seat, letter(seat, "unsubscribe"))
    assert row.state == "done"
    seat.user.refresh_from_db()
    assert seat.user.mail_mode == "off"
    assert "You get no more mail about your turns." in sent("receipt")[0].body


def test_a_sixth_refused_mail_within_an_hour_is_not_answered(match: Match, seat: Seat) -> None:
    """mail-requirements.md L8."""
    for number in range(7):
        receive(seat, letter(seat, f"bid {number + 10}"))
    assert len(sent("receipt")) == 5
    assert InboundEmail.objects.filter(state="refused").count() == 7


def test_the_same_refusal_is_said_twice_within_an_hour_at_most(match: Match, seat: Seat) -> None:
    """mail-requirements.md L8."""
    for number in range(4):
        raw = letter(seat, "bid 7", Message_ID=f"<{number}@client.example.org>")
        receive(seat, raw)
    assert len(sent("receipt")) == 2


HOSTILE = {
    "over the size limit": lambda raw: raw + b"x" * 1_000_001,
    "nested a thousand deep": lambda raw: _with_body(
        raw,
        b"multipart/mixed; boundary=a",
        b"".join(b"--a\nContent-Type: message/rfc822\n\n" for _ in range(1000)),
    ),
    "100 000 parts": lambda raw: _with_body(raw, b"multipart/mixed; boundary=a", b"--a\n\n" * 100_000),
    "encrypted": lambda raw: _with_body(
        raw,
        b"multipart/encrypted; boundary=a",
        b"--a\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--a--\n",
    ),
}


def _with_body(raw: bytes, content_type: bytes, body: bytes) -> bytes:
    header = raw.partition(b"\n\n")[0]
    lines = [line for line in header.split(b"\n") if not line.lower().startswith((b"content-", b"mime-"))]
    return b"\n".join([*lines, b"MIME-Version: 1.0", b"Content-Type: " + content_type]) + b"\n\n" + body


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_mail_is_kept_answered_and_blocks_nobody(match: Match, seat: Seat, kind: str) -> None:
    """mail-requirements.md M2, threat 10."""
    row = receive(seat, HOSTILE[kind](letter(seat, "bid 1")))
    assert row.state == "unreadable"
    assert match.moves.count() == 0
    assert "NOT read" in sent("receipt")[0].body
    assert receive(seat, letter(seat, "bid 1")).state == "done"


def test_a_lying_charset_does_not_hide_the_move(match: Match, seat: Seat) -> None:
    """mail-requirements.md M4."""
    raw = letter(seat, "bid 1").replace(b'charset="utf-8"', b'charset="no-such-charset"')
    assert receive(seat, raw).state == "done"


def test_no_receipt_goes_to_an_address_that_only_the_mail_names(match: Match, seat: Seat) -> None:
    """mail-requirements.md threat 16."""
    for body in ("bid 1", "hello", "bid 7"):
        receive(seat, letter(seat, body, sender="mallory@elsewhere.example"))
    delivery.send_queued()
    receivers = {address for message in mail.outbox for address in message.to}
    assert "ana@example.org" in receivers
    assert "mallory@elsewhere.example" not in receivers


def test_a_reply_counts_by_when_it_was_received(match: Match, seat: Seat) -> None:
    """mail-requirements.md T3, threat 26."""
    received = clock.now() - timedelta(minutes=9)
    ingest(letter(seat, "bid 1"), seat.user.email, seat.reply_address, "imap", {}, received_at=received)

    processing.process_stored()
    assert match.moves.get().created_at == received


@pytest.mark.parametrize("quoted", [False, True])
def test_a_reply_that_was_sent_to_another_match_plays_nothing(match: Match, seat: Seat, quoted: bool) -> None:
    """As a mail program does that completes the address by itself; mail-requirements.md T1."""
    assert seat.user is not None
    others = [each.user for each in match.seats.order_by("index") if each.user]
    other = make_match("gem", others, server_part="3" * 64, now=clock.now())
    turn = next(each for each in sent("turn") if other.code in each.subject)
    raw = letter(seat, "bid 1", answering=turn)
    if quoted:
        raw = raw.replace(b"In-Reply-To: ", b"X-Other: ")
    row = receive(seat, raw)
    assert (row.state, row.code) == ("refused", "other-match")
    assert match.moves.count() == 0
    assert f"{match.code}: bid 1" in str(sent("receipt")[-1].body)
    assert receive(seat, letter(seat, f"{match.code}: bid 1", answering=turn)).state == "done"


def test_one_mail_to_two_addresses_of_a_player_acts_once(match: Match, seat: Seat) -> None:
    """mail-requirements.md I1: each address has a row of its own."""
    assert seat.user is not None
    account = f"me+{seat.user.token}@gem.localhost"
    raw = letter(seat, f"{match.code}: bid 1\n{match.code}: say hello", Cc=account)
    assert receive(seat, raw).state == "done"
    row = ingest(raw, seat.user.email, account, "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("dropped", "copy")
    assert ChatMessage.objects.count() == 1
    assert len(sent("receipt")) == 1


@pytest.mark.parametrize("between", ["\u00a0", "\n> "])
def test_a_quoted_reference_that_a_program_has_wrapped_is_found(
    match: Match, seat: Seat, between: str
) -> None:
    ref = mail_ids.ref_line(match.pk, 1, seat.index).replace(" ", between, 1)
    found = mail_ids.find_ref_line(f"> {ref}")
    assert found is not None
    assert (found.match, found.turn) == (match.pk, 1)
