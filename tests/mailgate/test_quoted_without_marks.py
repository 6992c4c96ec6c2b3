"""Replies of clients that repeat our mail without any quote marks: only the player's own text is carried out."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from textwrap import wrap

import pytest
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.lib.text.fingerprint import Fingerprint, shown_text, words_of
from gemserver.mailgate.lines.commands import Command, MoveLine, read_lines
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import Match, Move, Seat
from gemserver.notify.models import OutboxMessage
from gemserver.notify.sent_words import MOST_HASHES, read_sent_words
from gemserver.operating import retention
from tests.builders import make_match, make_user, play
from tests.mailgate.letters import letter, receive, receive_at
from tests.mailgate.posting import account_address, sent_to
from tests.quick import crossed

pytestmark = pytest.mark.django_db

DEAL = "5eed" * 16
MARKER = re.compile(r"^-- .{0,120}Reply above\s+this\s+line\s+to\s+play --$", re.M | re.S)

PLANTED = (
    "Well met!\nbid 6\nresign\nvacation 2026-03-07 2026-03-09\nmail off\n"
    "These words are just long enough that what follows them begins a line\n"
    "of its own in a client that wraps our lines at sixty columns: bid 5\n"
    "so here is one more line that ends with what I hope for: mail off"
)
"""An opponent's words, meant to end up in the reader's mail, and so in the reader's reply."""


def as_it_is(mail: EmailMultiAlternatives) -> str:
    return str(mail.body)


def wrapped_anew(mail: EmailMultiAlternatives) -> str:
    lines = str(mail.body).splitlines()
    return "\n".join("\n".join(wrap(line, 60, break_on_hyphens=False)) for line in lines)


def flowed_and_wrapped(mail: EmailMultiAlternatives) -> str:
    """Every paragraph filled, as editors do it; marks before lines end up anywhere."""
    paragraphs = re.split(r"\n\s*\n", str(mail.body))
    return "\n\n".join("\n".join(wrap(" ".join(each.split()), 60)) for each in paragraphs)


def without_marker(mail: EmailMultiAlternatives) -> str:
    return MARKER.sub("", str(mail.body))


def stripped_of_html(mail: EmailMultiAlternatives) -> str:
    """Our HTML part in a client that can only write text: one line for each piece, links with targets."""
    markup = re.sub(r"<head>.*?</head>", "", str(mail.alternatives[0][0]), flags=re.DOTALL)
    markup = re.sub(r'<img [^>]*alt="[^"]*"[^>]*>', "[cid:board]", markup)
    markup = re.sub(r'<a href="([^"]*)"[^>]*>(.*?)</a>', r"\n\2 <\1>\n", markup, flags=re.DOTALL)
    markup = re.sub(r"<(?:p|br|tr|div|pre|blockquote)\b[^>]*>|</[a-z]+>", "\n", markup)
    text = re.sub(r"<(?!https?:|mailto:)[^>]*>", "", markup)
    for entity, sign in (("&#x27;", "'"), ("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return re.sub(r"\n\s*\n+", "\n\n", text)


def stripped_and_wrapped(mail: EmailMultiAlternatives) -> str:
    lines = MARKER.sub("", stripped_of_html(mail)).splitlines()
    return "\n".join("\n".join(wrap(line, 60, break_on_hyphens=True)) for line in lines)


def without_targets(mail: EmailMultiAlternatives) -> str:
    """The buttons of the HTML part stand there as lines that are moves."""
    return MARKER.sub("", re.sub(r" <(?:https?|mailto):[^>]*>", "", stripped_of_html(mail)))


CLIENTS = (
    as_it_is,
    wrapped_anew,
    flowed_and_wrapped,
    without_marker,
    stripped_of_html,
    stripped_and_wrapped,
    without_targets,
)

PLACES: dict[str, Callable[[str, str], str]] = {
    "above": lambda typed, ours: f"{typed}\n\n{ours}\n",
    "below": lambda typed, ours: f"{ours}\n\n{typed}\n",
    "above, introduced": lambda typed, ours: (
        f"{typed}\n\nOn Fri, 6 Mar 2026 at 13:00, Gem <play@gem.localhost> wrote:\n\n{ours}\n"
    ),
    "below, introduced": lambda typed, ours: (
        f"Am Fr., 6. März 2026 um 13:00 Uhr schrieb Gem <play@gem.localhost>:\n\n{ours}\n\n{typed}\n"
    ),
    "above, with fields": lambda typed, ours: (
        f"{typed}\n\nVon: Gem <play@gem.localhost>\nGesendet: Freitag, 6. März 2026 13:00\nAn: ana\n"
        f"Betreff: [GEM M1] ana, ben\n\n{ours}\n"
    ),
    "above a signature": lambda typed, ours: f"{typed}\n\n-- \nAna\n\n{ours}\n",
}


@pytest.fixture
def match() -> Match:
    players = [make_user("ana"), make_user("ben")]
    return make_match(players=players, now=clock.now(), server_part=DEAL)


@pytest.fixture
def seat(match: Match) -> Seat:
    """The seat that is asked; its opponent has said something."""
    asked = match.seats.select_related("user", "match").get(is_waiting=True)
    opponent = match.seats.select_related("user").get(is_waiting=False).user
    assert opponent
    say(match.pk, opponent, PLANTED, "web:1", now=clock.now())
    OutboxMessage.objects.filter(kind="talk").update(available_at=clock.now())
    return asked


def mail_of(player: User, letter_of_kind: str) -> EmailMultiAlternatives:
    mails = [each for each in sent_to(player) if each.extra_headers["Message-ID"][1] == letter_of_kind]
    return mails[-1]


def reply(seat: Seat, body: str, answering: EmailMultiAlternatives) -> InboundEmail:
    return receive(seat, letter(seat, body, In_Reply_To=answering.extra_headers["Message-ID"]))


def effects(row: InboundEmail) -> list[str]:
    return [result["line"] for result in row.results if result["outcome"] != "unread"]


@pytest.mark.parametrize(("client", "kind", "place"), crossed(CLIENTS, "tk", list(PLACES)))
def test_only_the_typed_move_is_played(
    seat: Seat,
    player: User,
    client: Callable[[EmailMultiAlternatives], str],
    kind: str,
    place: str,
) -> None:
    """Turn mails with examples and buttons, and an opponent's words (mail-requirements.md Q2, threats 5 and 6)."""
    ours = mail_of(player, kind)
    row = reply(seat, PLACES[place]("bid 3", client(ours)), ours)
    assert effects(row) == ["bid 3"]
    assert Move.objects.filter(source="mail").count() == 1
    player.refresh_from_db()
    assert player.mail_mode == "turns"


def test_the_same_without_our_net_would_do_more(seat: Seat, player: User) -> None:
    """The bodies above are dangerous: without our sent mail to compare, they hold commands that nobody typed."""
    found: set[str] = set()
    for client in CLIENTS:
        for kind in "tk":
            for line in read_lines(client(mail_of(player, kind))):
                if isinstance(line, Command):
                    found.add(line.name)
                elif isinstance(line, MoveLine) and line.text.startswith("bid"):
                    found.add(line.text)
    assert {"mail", "bid 0", "bid 5", "bid 6"} <= found


@pytest.mark.parametrize("client", CLIENTS)
def test_our_mail_alone_does_nothing(
    seat: Seat, player: User, client: Callable[[EmailMultiAlternatives], str]
) -> None:
    ours = mail_of(player, "t")
    assert effects(reply(seat, client(ours), ours)) == []


@pytest.mark.parametrize(
    "typed", ["bid 3", "bid 3\nsay See you", "M1: bid 3", "To play, write:  bid 3\nbid 3"]
)
def test_a_typed_line_that_our_mail_shows_as_an_example_is_still_done(
    seat: Seat, player: User, typed: str
) -> None:
    ours = mail_of(player, "t")
    assert "To play, write:  bid 3" in str(ours.body)
    assert "bid 3" in effects(reply(seat, typed, ours))[0]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_no_wrapping_of_the_html_part_makes_a_line_of_the_word_that_ends_the_mails(
    seat: Seat, player: User, language: str
) -> None:
    """Even if nothing is kept any more of the quoted mail."""
    User.objects.filter(pk=player.pk).update(language=language)
    shown = without_targets(mail_of(player, "t"))
    assert "unsubscribe" in shown
    for width in range(40, 100):
        lines = "\n".join("\n".join(wrap(line, width)) for line in shown.splitlines())
        assert Command("unsubscribe") not in read_lines(lines)


def test_below_our_mail_nothing_is_read_when_something_was_typed_above_it(seat: Seat, player: User) -> None:
    """Below it an older mail goes on, or a mailing list's footer; a line of these may be a command."""
    ours = mail_of(player, "t")
    assert effects(reply(seat, f"bid 3\n\n{ours.body}\nsay Once more\n", ours)) == ["bid 3"]


def test_moves_between_marked_pieces_are_played_though_tails_have_lost_their_marks(
    seat: Seat, player: User
) -> None:
    ours = mail_of(player, "t")
    lines = str(ours.body).splitlines()
    quoted = [f"> {piece}" if not at else piece for line in lines for at, piece in enumerate(wrap(line, 50))]
    body = "\n".join([*quoted[:12], "", "bid 3", "", *quoted[12:]])
    assert effects(reply(seat, body, ours)) == ["bid 3"]


class TestWhichMailIsAnswered:
    def test_by_references_alone(self, seat: Seat, player: User) -> None:
        ours = mail_of(player, "t")
        mail = letter(seat, without_targets(ours), References=f"<x@y> {ours.extra_headers['Message-ID']}")
        assert effects(receive(seat, mail)) == []

    def test_without_any_header_the_last_mails_of_the_match_are_compared(
        self, seat: Seat, player: User
    ) -> None:
        ours = mail_of(player, "t")
        assert effects(receive(seat, letter(seat, f"{without_targets(ours)}\nbid 3"))) == ["bid 3"]

    def test_without_any_header_an_older_mail_is_found_by_its_ref_line(
        self, seat: Seat, player: User, match: Match
    ) -> None:
        ours = mail_of(player, "t")
        play(match, seat.index, "bid 0", now=clock.now())
        for number in range(4):
            seat.refresh_from_db()
            receive(seat, letter(seat, "status", Message_ID=f"<{number}@client.example.org>"))
            sent_to(player)
        assert effects(receive(seat, letter(seat, f"{without_targets(ours)}\nsay Hello"))) == ["say Hello"]

    def test_at_the_accounts_address_the_digest_or_receipt_is_compared(
        self, seat: Seat, player: User
    ) -> None:
        at = account_address(player)
        ask = letter(seat, "games", To=at)
        receive_at(at, ask, sender=player.email, at=clock.now())
        shown = sent_to(player)[-1]
        back = letter(seat, f"{shown.body}\nmail digest 08:00", To=at)
        row = receive_at(at, back, sender=player.email, at=clock.now())
        assert effects(row) == ["mail digest 08:00"]

    def test_a_mail_to_somebody_else_cannot_be_probed(self, seat: Seat, player: User, match: Match) -> None:
        """A guess at its content is read like any other text, whether it is right or wrong."""
        theirs = mail_of(player, "t")
        other = match.seats.select_related("user", "match").get(is_waiting=False)
        shown = [line for line in str(theirs.body).splitlines() if line.startswith("To play, write:")]
        right = "\n".join(shown[:4])
        row = receive(other, letter(other, right, In_Reply_To=theirs.extra_headers["Message-ID"]))
        assert [result["line"] for result in row.results] == [
            f"To play, write: bid {points}" for points in range(4)
        ]


class TestWhatIsKept:
    def test_two_kilobytes_at_most_and_none_of_the_words(self, seat: Seat, player: User) -> None:
        receive(seat, letter(seat, "log\nrules\nhelp"))
        receipt = mail_of(player, "a")
        row = OutboxMessage.objects.get(message_id=receipt.extra_headers["Message-ID"])
        assert row.sent_words is not None
        assert len(words_of(str(receipt.body))) > MOST_HASHES
        assert len(row.sent_words) <= 2048

    def test_who_has_the_row_but_not_the_key_cannot_try_guesses(self, seat: Seat, player: User) -> None:
        ours = mail_of(player, "t")
        row = OutboxMessage.objects.get(message_id=ours.extra_headers["Message-ID"])
        words = words_of(str(ours.body))
        assert row.sent_words is not None
        keyless = Fingerprint.load(row.sent_words, key=b"")
        [known] = read_sent_words(row)
        assert (0, len(words)) in known.stretches(words)
        assert list(keyless.stretches(words)) == []

    def test_equal_mails_have_nothing_in_common(self, seat: Seat, player: User) -> None:
        three = make_match(players=[player, make_user("cy"), make_user("dan")], now=clock.now())
        sent_to(player)
        starts = OutboxMessage.objects.filter(kind="started", thread=three.thread)
        kept = [bytes(row.sent_words or b"") for row in starts]
        first, second = ({each[at : at + 4] for at in range(0, len(each), 4)} for each in kept)
        assert len(first) > 50
        assert len(first & second) < 5

    def test_it_is_forgotten_with_the_mails_themselves(self, seat: Seat, player: User) -> None:
        sent_to(player)
        kept = OutboxMessage.objects.exclude(sent_words=None).count()
        assert retention.forget(clock.now() + timedelta(days=29))["words of sent mail"] == 0
        assert retention.forget(clock.now() + timedelta(days=31))["words of sent mail"] == kept
        assert not OutboxMessage.objects.exclude(sent_words=None).exists()

    def test_the_words_of_the_html_part_are_those_that_it_shows(self) -> None:
        markup = (
            "<head><title>No</title></head><p>Ana &amp; Ben<br>bid <b>3</b></p>"
            '<img width="9" alt="coin 1&#10;coin 2" src="cid:board"><a href="mailto:x@y?body=no">yes</a>'
        )
        assert words_of(shown_text(markup)) == ["ana", "ben", "bid", "3", "coin", "1", "coin", "2", "yes"]
