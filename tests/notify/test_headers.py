"""The headers of outgoing mails, requirement by requirement, on which clients, filters and providers rely."""

from __future__ import annotations

import re
from base64 import b64decode
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

import pytest
from django.conf import settings
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from gemserver.accounts.models import User
from gemserver.lib import clock, signing
from gemserver.mailgate.addresses import find_recipient
from gemserver.mailgate.lines.commands import read_subject
from gemserver.matches import mail_ids
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user, play, play_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    return match.seats.select_related("user", "match").get(is_waiting=True)


def mails_to(seat: Seat) -> list[EmailMultiAlternatives]:
    delivery.send_queued()
    assert seat.user
    return [each for each in mail.outbox if each.to == [seat.user.email]]  # type: ignore[misc]


def as_sent(message: EmailMultiAlternatives) -> EmailMessage:
    return cast(EmailMessage, message_from_bytes(message.message().as_bytes(), policy=policy.default))


def play_a_round(match: Match) -> None:
    for text in ("bid 1", "pass"):
        play(match, match.seats.get(is_waiting=True).index, text, now=clock.now())


class TestAddresses:
    @pytest.mark.parametrize("style", ["play+{token}@gem.localhost", "{token}@reply.gem.localhost"])
    def test_reply_to_alone_holds_the_address_of_the_seat(
        self, seat: Seat, settings: pytest.FixtureRequest, style: str
    ) -> None:
        """mail-requirements.md A1: in both styles; From is one address for all, and answers arrive there too.

        The link to ask for help is the only other place, made for the same reader.
        """
        settings.PLAY_REPLY = style
        *_, turn = mails_to(seat)
        header = as_sent(turn)
        assert header["Reply-To"] == style.format(token=seat.token)
        others = [str(value) for name, value in header.items() if name not in {"Reply-To", "List-Help"}]
        assert seat.token not in "".join(others)
        recipient = find_recipient(header["From"].addresses[0].addr_spec)
        assert recipient is not None
        assert recipient.kind == "lobby"

    def test_a_token_is_128_bits_that_survive_any_relay_and_no_row_holds_it(self, seat: Seat) -> None:
        """mail-requirements.md A2: lower-case base32, found in capitals too; the row has its hash."""
        assert re.fullmatch("[a-z2-7]{26}", seat.token)
        assert seat.token_hash == signing.token_hash(seat.token)
        assert seat.token not in str(Seat.objects.filter(pk=seat.pk).values())
        recipient = find_recipient(seat.reply_address.upper())
        assert recipient is not None
        assert recipient.seat == seat


class TestThreads:
    def test_ids_are_ours_stable_and_signed(self, match: Match, seat: Seat) -> None:
        """mail-requirements.md H1: it holds match, turn and seat, and nobody else can make one."""
        turn = mails_to(seat)[0]
        made = turn.extra_headers["Message-ID"]
        assert made == mail_ids.message_id("turn", match.pk, seat.prompt_ply or 0, seat.index)
        ref = mail_ids.read_message_id(made)
        assert ref is not None
        assert (ref.match, ref.turn, ref.seat) == (match.pk, seat.prompt_ply, seat.index)
        assert mail_ids.read_message_id(made.replace(f".{match.pk}.", f".{match.pk + 1}.", 1)) is None
        (start,) = [each for each in mail.outbox if each.to != turn.to]
        assert start.extra_headers["Message-ID"].startswith("<s.")

    def test_a_later_mail_names_the_first_and_the_last_of_its_thread(self, match: Match, seat: Seat) -> None:
        """mail-requirements.md H1: not the whole chain, which would grow with the match."""
        mails_to(seat)
        for ply in (3, 9, 15, 21):
            play_until(match, lambda reached, ply=ply: reached.ply >= ply, now=clock.now())  # type: ignore[misc]
            mails = mails_to(seat)
        ids = [each.extra_headers["Message-ID"] for each in mails]
        assert len(ids) > 3
        assert mails[-1].extra_headers["In-Reply-To"] == ids[-2]
        assert mails[-1].extra_headers["References"] == f"{ids[0]} {ids[-2]}"

    def test_the_turn_stands_in_the_text_and_in_the_ready_replies_too(self, match: Match, seat: Seat) -> None:
        """mail-requirements.md H2: for relays that replace it by a Message-ID of their own."""
        turn = mails_to(seat)[0]
        ref = mail_ids.find_ref_line(str(turn.body))
        assert ref is not None
        assert (ref.match, ref.turn, ref.seat) == (match.pk, seat.prompt_ply, seat.index)
        assert f"body=bid%200%20%23{seat.prompt_ply}" in str(turn.alternatives[0][0])

    def test_the_news_stand_in_a_bracket_before_the_match(self, match: Match, seat: Seat) -> None:
        """mail-requirements.md H3: behind it all subjects are alike, and an answer under one is no command."""
        mails_to(seat)
        play_a_round(match)
        subjects = {str(each.subject) for each in mails_to(seat)}
        assert len(subjects) > 1
        for subject in subjects:
            assert re.fullmatch(rf"\[[^\[\]]+\] GEM {match.code}", subject)
            assert len(subject) <= 78
            for prefix in ("", "Re: ", "AW: ", "SV: ", "TR: ", "Odp: ", "RE: [EXTERN] "):
                assert read_subject(prefix + subject) == []

    def test_outlook_finds_the_conversation_too(self, match: Match, seat: Seat) -> None:
        """mail-requirements.md H3: by a topic and an index that do not change from mail to mail."""
        mails_to(seat)
        play_a_round(match)
        found = {(as_sent(each)["Thread-Topic"], as_sent(each)["Thread-Index"]) for each in mails_to(seat)}
        ((topic, index),) = found
        assert topic == f"GEM {match.code}"
        assert len(b64decode(index)) == 22

    def test_a_filter_can_tell_one_match_from_another(self, match: Match, seat: Seat) -> None:
        """mail-requirements.md H4: RFC 2919 and 2369."""
        other = make_match(players=[User.objects.get(username="ana"), make_user("cy")], now=clock.now())
        delivery.send_queued()
        lists = {str(each.extra_headers["List-Id"]) for each in mail.outbox}
        domain = settings.MAIL_DOMAIN
        assert lists == {f"<gem-{code.lower()}.{domain}>" for code in (match.code, other.code)}
        helped = as_sent(mails_to(seat)[0])["List-Help"]
        assert re.fullmatch(r"<mailto:[^\s<>]+body=help>", "".join(helped.split()))


class TestWire:
    @pytest.mark.parametrize("language", ["en", "fr", "de"])
    def test_a_mail_is_seven_bits_in_lines_that_are_never_empty_in_the_header(
        self, seat: Seat, language: str
    ) -> None:
        """mail-requirements.md H5."""
        assert seat.user
        User.objects.filter(pk=seat.user.pk).update(language=language)
        for message in mails_to(seat):
            raw = message.message().as_bytes(linesep="\r\n")
            assert raw.isascii()
            assert max(map(len, raw.split(b"\r\n"))) <= 998
            header = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
            assert all(
                line.partition(b":")[2].strip() for line in header if not line.startswith((b" ", b"\t"))
            )
            parsed = as_sent(message)
            assert parsed.get_body(("plain",)).get_content().strip() == str(message.body).strip()  # type: ignore[union-attr]
            assert parsed["Subject"] == message.subject
            assert str(parsed["List-Unsubscribe"]) == message.extra_headers["List-Unsubscribe"]

    def test_the_id_for_feedback_names_the_kind_of_mail_and_nobody(self, seat: Seat) -> None:
        """mail-requirements.md H5."""
        *_, turn = mails_to(seat)
        assert turn.extra_headers["Feedback-ID"] == "turn:turn:auto-generated:gemserver"


class TestAutomaticMail:
    def test_every_mail_says_that_a_machine_wrote_it(self, seat: Seat) -> None:
        """mail-requirements.md L1: RFC 3834 §3.1.7, the marks Exchange and old vacation programs look for, and ours."""
        sent = mails_to(seat)
        assert sent
        for each in sent:
            header = as_sent(each)
            assert header["Auto-Submitted"] == "auto-generated"
            assert header["Precedence"] == "list"
            assert {"OOF", "AutoReply", "DR"} <= set(re.split(r",\s*", header["X-Auto-Response-Suppress"]))
            assert header["X-Gemserver-Loop"] == settings.MAIL_DOMAIN

    def test_one_mail_for_a_turn(self, match: Match, seat: Seat) -> None:
        """mail-requirements.md O4: however often it is told, and whoever looks at the match in between."""
        play(match, seat.index, "bid 0", now=clock.now())
        row = OutboxMessage.objects.filter(kind="turn").latest("pk")
        delivery.send_queued()
        OutboxMessage.objects.filter(pk=row.pk).update(state="queued", available_at=clock.now())
        play(match, match.seats.get(is_waiting=True).index, "pass", now=clock.now())
        delivery.send_queued()
        turns = [each for each in mail.outbox if each.extra_headers["Message-ID"] == row.message_id]
        assert len(turns) == 1


class TestUnsubscribing:
    def links(self, seat: Seat) -> tuple[str, str]:
        """Path of the page, and the `mailto:` link, in a turn mail."""
        turn = mails_to(seat)[0]
        found = re.fullmatch(r"<(\S+)>, <(\S+)>", str(turn.extra_headers["List-Unsubscribe"]))
        assert found
        return found[1].removeprefix(settings.SITE_URL), found[2]

    def test_both_ways_out_stand_in_unfolded_lines(self, seat: Seat) -> None:
        """mail-requirements.md U1: RFC 8058; a link that is folded breaks the signature of some senders (DKIM)."""
        turn = mails_to(seat)[0]
        assert turn.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        page, address = self.links(seat)
        assert page.startswith("/u/")
        assert address.startswith(f"mailto:me+{seat.user.token}@")  # type: ignore[union-attr]
        raw = turn.message().as_bytes()
        lines = [line for line in raw.splitlines() if page.encode() in line or address.encode() in line]
        assert all(len(line) < 998 for line in lines)
        assert settings.SITE_URL.encode() + page.encode() in raw

    def test_one_click_needs_no_cookie_and_no_page(self, seat: Seat) -> None:
        """mail-requirements.md U2: a POST by the provider's machine, answered 200 however often; the match goes on."""
        page, _ = self.links(seat)
        for _ in range(2):
            stranger = Client(enforce_csrf_checks=True)
            response = stranger.post(page, {"List-Unsubscribe": "One-Click"})
            assert response.status_code == 200
            assert not response.cookies
        count = len(mails_to(seat))
        match = Match.objects.get(pk=seat.match_id)
        play_a_round(match)
        kinds = [each.extra_headers["Message-ID"][1] for each in mails_to(seat)[count:]]
        assert "t" not in kinds
        assert match.is_running
        assert Seat.objects.get(pk=seat.pk).user == seat.user

    def test_a_scanner_that_opens_every_link_stops_nothing(self, seat: Seat) -> None:
        """mail-requirements.md U2: GET and HEAD show a page."""
        page, _ = self.links(seat)
        for ask in (Client().get, Client().head):
            assert ask(page).status_code == 200
        play_a_round(Match.objects.get(pk=seat.match_id))
        assert "t" in [each.extra_headers["Message-ID"][1] for each in mails_to(seat)[1:]]


def test_each_part_with_parts_has_a_boundary_before_it_is_written(seat: Seat) -> None:
    [letter] = mails_to(seat)
    boundaries = [part.get_boundary() for part in letter.message().walk() if part.is_multipart()]
    assert all(boundaries)
    assert len(set(boundaries)) == len(boundaries) == 2
