"""Mail to a club: who may write, what goes out, and that no hand, reply address or token ever does."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.clubs.models import Club, Member, Post
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.club_list import clean
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.receivers.recipients import own_addresses
from gemserver.matches.actions.clubs.post_to_list import PER_MEMBER_AND_DAY, set_list_mode
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import asked, make_match, make_user
from tests.clubs.people import make_club
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db

LAKE = "club-lake@gem.localhost"


@pytest.fixture
def club(ana: User, ben: User) -> Club:
    return make_club("Lake", ana, ben, make_user("cy"))


def of_the_club(user: User) -> list[EmailMultiAlternatives]:
    return [letter for letter in sent_to(user) if letter.subject.startswith("[Lake]")]


def post(user: User, body: str, **fields: str) -> InboundEmail:
    fields.setdefault("to", LAKE)
    return write(user, body, **fields)


def test_what_a_member_writes_goes_to_the_others_as_a_new_mail_of_ours(
    club: Club, ana: User, ben: User
) -> None:
    row = post(ana, "Shall we meet on Friday?\n\n-- \nAna\nana@example.org", subject="Friday")
    assert codes(row) == ["done"]
    (letter,) = of_the_club(ben)
    assert letter.subject == "[Lake] Friday"
    assert "ana writes to the club Lake: | Shall we meet on Friday?" in one_line(letter)
    raw = letter.message().as_string()
    assert "ana@example.org" not in raw
    assert letter.reply_to == [LAKE]
    headers = letter.extra_headers
    assert headers["List-Id"] == "<lake.club.gem.localhost>"
    assert headers["List-Post"] == f"<mailto:{LAKE}>"
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert headers["Auto-Submitted"] == "auto-generated"
    assert not of_the_club(ana)
    assert len(of_the_club(User.objects.get(username="cy"))) == 1


def test_one_click_ends_the_mail_of_this_club_alone(club: Club, ana: User, ben: User) -> None:
    post(ana, "Hello!")
    (letter,) = of_the_club(ben)
    url = re.findall("<(http[^>]*)>", letter.extra_headers["List-Unsubscribe"])[0].partition("8000")[2]
    assert Client().get(url).status_code == 200
    assert Member.objects.get(user=ben).list_mode == "each"
    assert Client().post(url, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert Member.objects.get(user=ben).list_mode == "off"
    post(ana, "Hello again!")
    assert len(of_the_club(ben)) == 1
    assert codes(write(ben, "club lake mail each")) == ["done"]
    assert codes(write(ben, "unsubscribe club-lake")) == ["done"]
    assert Member.objects.get(user=ben).list_mode == "off"


def test_nobody_else_writes_to_it_or_learns_of_it(club: Club, ana: User) -> None:
    eve = make_user("eve")
    for to in (LAKE, "club-nowhere@gem.localhost"):
        row = post(eve, "Let me in", to=to)
        assert (row.state, row.code) == ("dropped", "no-such-club")
        assert own_addresses([to], None) == [to]  # type: ignore[arg-type]
    assert not sent_to(eve)
    assert not Post.objects.exists()
    Member.objects.filter(user=ana).delete()
    assert post(ana, "I was here").code == "no-such-club"


def test_a_sender_who_is_not_proved_is_not_passed_on(
    club: Club, ana: User, ben: User, settings: LazySettings
) -> None:
    settings.MAIL_AUTH = "normal"
    for auth in ({}, {"dmarc": "fail"}):
        row = post(ana, f"Forged {auth}", **auth)
        assert row.state in {"refused", "dropped"}
    assert not of_the_club(ben)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Auto-Submitted", "auto-replied"),
        ("Precedence", "bulk"),
        ("List-Id", "<lake.club.gem.localhost>"),
        ("X-Gemserver-Loop", "gem.localhost"),
    ],
)
def test_machines_and_loops_end_here(name: str, value: str, club: Club, ana: User, ben: User) -> None:
    letter = _letter(ana, "I am away.")
    letter[name] = value
    row = _receive(letter, ana)
    assert row.state == "dropped"
    assert not of_the_club(ben)


def _letter(user: User, body: str, subject: str = "Hello", to: str = LAKE) -> EmailMessage:
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = user.email, to, subject
    letter["Message-ID"] = f"<{InboundEmail.objects.count()}@list.example.org>"
    letter.set_content(body)
    return letter


def _receive(letter: EmailMessage, user: User, to: str = LAKE) -> InboundEmail:
    row = ingest(letter.as_bytes(), user.email, to, "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    return row


class TestATurnMail:
    """Ana has got a mail about her turn, with her hand on the board, her reply address and her token."""

    @pytest.fixture
    def seat(self, club: Club, ana: User, ben: User) -> Seat:
        make_match("florentine", players=[ana, ben], server_part="7" * 64, now=clock.now())
        delivery.send_queued()
        return asked(Match.objects.get())

    @pytest.fixture
    def turn(self, seat: Seat) -> EmailMultiAlternatives:
        assert seat.user
        found = [letter for letter in sent_to(seat.user) if seat.token in str(letter.reply_to)]
        assert "Ref:" in str(found[-1].body)
        return found[-1]

    def check(self, seat: Seat, turn: EmailMultiAlternatives) -> None:
        """Nobody but the player has got a word of it."""
        ours = " ".join(str(turn.body).split()).split()
        for letter in mail.outbox:  # type: ignore[attr-defined]
            if seat.user and letter.to == [seat.user.email]:
                continue
            text = f"{letter.subject} {letter.body} {letter.message().as_string()}"
            assert seat.token not in text
            assert seat.reply_address not in text
            assert not re.search(r"Ref: ", text) or "[Lake]" not in letter.subject
            if letter.subject.startswith("[Lake]"):
                said = " ".join(str(letter.body).split("\n| ", 1)[1].split())
                stretches = (" ".join(ours[at : at + 7]) for at in range(len(ours) - 6))
                assert not [stretch for stretch in stretches if stretch in said]
        delivery.send_queued()

    @staticmethod
    def quoted(turn: EmailMultiAlternatives) -> str:
        return "\n".join(f"> {line}" for line in str(turn.body).splitlines())

    def reply(self, turn: EmailMultiAlternatives, seat: Seat, body: str) -> EmailMessage:
        assert seat.user
        letter = _letter(seat.user, body, f"Re: {turn.subject}", seat.reply_address)
        letter["Cc"] = LAKE
        letter["In-Reply-To"] = turn.extra_headers["Message-ID"]
        return letter

    def test_answered_with_the_club_in_cc(self, seat: Seat, turn: EmailMultiAlternatives) -> None:
        assert seat.user
        body = f"What a deal, friends!\n\nOn Friday the Gem server wrote:\n{self.quoted(turn)}"
        row = _receive(self.reply(turn, seat, body), seat.user)
        assert row.state == "done"
        self.check(seat, turn)
        other = User.objects.exclude(pk=seat.user_id).filter(memberships__isnull=False)[0]
        (letter,) = of_the_club(other)
        assert "| What a deal, friends!" in str(letter.body)
        assert "florentine" not in letter.subject.lower()
        assert not Match.objects.get().moves.exclude(source="auto").exists()

    def test_answered_without_quote_marks(self, seat: Seat, turn: EmailMultiAlternatives) -> None:
        assert seat.user
        _receive(self.reply(turn, seat, f"What a deal!\n\n{turn.body}"), seat.user)
        self.check(seat, turn)

    @pytest.mark.parametrize("typed", ["", "Look at this, friends!\n\n"])
    @pytest.mark.parametrize(
        "head",
        [
            "---------- Forwarded message ---------\nFrom: Gem server <play@gem.localhost>\nSubject: Your turn\n\n",
            "-------- Weitergeleitete Nachricht --------\nVon: Gem server\nBetreff: Du bist dran\n\n",
            "",
        ],
    )
    def test_forwarded_to_the_club(
        self, typed: str, head: str, seat: Seat, turn: EmailMultiAlternatives
    ) -> None:
        assert seat.user
        letter = _letter(seat.user, f"{typed}{head}{turn.body}", f"Fwd: {turn.subject}")
        row = _receive(letter, seat.user)
        assert row.state in {"done", "refused"}
        self.check(seat, turn)

    def test_forwarded_as_an_attachment_or_as_html(self, seat: Seat, turn: EmailMultiAlternatives) -> None:
        assert seat.user
        attached = _letter(seat.user, "See there.", "Fwd: my turn")
        attached.add_attachment(str(turn.body).encode(), "text", "plain", filename="turn.txt")
        assert _receive(attached, seat.user).state == "done"
        html = _letter(seat.user, "", "Fwd: my turn")
        html.set_content(str(turn.alternatives[0][0]), subtype="html")
        _receive(html, seat.user)
        self.check(seat, turn)

    def test_pasted_into_the_middle_of_other_words(self, seat: Seat, turn: EmailMultiAlternatives) -> None:
        assert seat.user
        line = max(str(turn.body).splitlines(), key=lambda each: len(each.split()))
        row = post(seat.user, f"Look what it says:\n{line}\nand what do you think?")
        assert codes(row) == ["repeats-ours"]
        assert "Write your words in a new mail" in one_line(sent_to(seat.user)[-1])
        assert not Post.objects.exists()
        self.check(seat, turn)

    def test_a_move_in_a_mail_to_the_club_is_not_played(self, seat: Seat, ben: User) -> None:
        assert seat.user
        before = Match.objects.get().ply
        post(seat.user, "resign\n\nM1: resign\nclub lake leave\nmail off")
        assert Match.objects.get().ply == before
        seat.user.refresh_from_db()
        assert seat.user.mail_mode != "off"
        assert Member.objects.filter(user=seat.user).exists()


def test_addresses_tokens_and_reference_lines_are_taken_out(ana: User) -> None:
    text = (
        f"Write to me+{ana.token}@gem.localhost or cy@example.org,\nhttp://x/u/{ana.token}/\n"
        f"key {ana.token}\nRef: M1.2.3.abcdef\n> Ref: M4\nBye"
    )
    found = clean(text)
    assert ana.token not in found
    assert "@" not in found
    assert "Ref" not in found
    assert found.startswith("Write to …")
    assert found.endswith("Bye")


@pytest.mark.slow
def test_limits_hold_for_each_member(club: Club, ana: User, ben: User) -> None:
    for number in range(PER_MEMBER_AND_DAY):
        assert codes(post(ana, f"News number {number} of today")) == ["done"]
    assert codes(post(ana, "One more")) == ["too-many-mails"]
    assert codes(post(ben, "And mine")) == ["done"]
    assert codes(post(ben, "")) == ["nothing-said"]


def test_the_same_mail_is_posted_once(club: Club, ana: User, ben: User) -> None:
    row = post(ana, "Hello!")
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    assert Post.objects.count() == 1
    assert len(of_the_club(ben)) == 1


def test_blocked_members_read_nothing_from_each_other(club: Club, ana: User, ben: User) -> None:
    block_player(ben, "ana", now=clock.now())
    post(ana, "Hello!")
    assert not of_the_club(ben)


def test_a_digest_holds_nothing_of_a_blocked_member(
    club: Club, ana: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mail of somebody else has queued it."""
    set_list_mode(club.pk, ben, Member.ListMode.DIGEST)
    post(ana, "Of the blocked.")
    post(User.objects.get(username="cy"), "Of another.")
    block_player(ben, "ana", now=clock.now())
    tomorrow = clock.now() + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: tomorrow)
    (letter,) = of_the_club(ben)
    assert "Of another." in one_line(letter)
    assert "Of the blocked." not in one_line(letter)


def test_a_block_holds_for_a_mail_that_has_not_gone_yet(club: Club, ana: User, ben: User) -> None:
    row = ingest(_letter(ana, "Hello!").as_bytes(), ana.email, LAKE, "smtp", {})
    processing.process(processing.claim(clock.now()) or row.pk)
    block_player(ben, "ana", now=clock.now())
    assert not of_the_club(ben)


def test_an_address_from_which_mail_comes_back_gets_none(club: Club, ana: User, ben: User) -> None:
    UnreachableAddress.objects.create(address=ben.email, why="bounced", since=clock.now())
    post(ana, "Hello!")
    assert not OutboxMessage.objects.filter(user=ben).exists()


def test_who_has_left_meanwhile_gets_nothing(club: Club, ana: User, ben: User) -> None:
    row = ingest(_letter(ana, "Hello!").as_bytes(), ana.email, LAKE, "smtp", {})
    processing.process(processing.claim(clock.now()) or row.pk)
    Member.objects.filter(user=ben).delete()
    assert not of_the_club(ben)


def test_a_digest_brings_the_mails_of_a_day_together(
    club: Club, ana: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_list_mode(club.pk, ben, Member.ListMode.DIGEST)
    post(ana, "First news.", subject="One")
    post(User.objects.get(username="cy"), "Second news.", subject="Two")
    assert not of_the_club(ben)
    later = clock.now() + timedelta(days=1, minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    (letter,) = of_the_club(ben)
    text = one_line(letter)
    assert "One | First news." in text
    assert "Two | Second news." in text
