"""A new MAIL_KEY or SECRET_KEY while mails are under way: nothing in anybody's mailbox or browser goes dead."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.core.management import call_command
from django.test import Client

from gemserver.accounts.models import EarlierToken, User, known_hash
from gemserver.checks import check_mail_key
from gemserver.inbox import held_mail
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.unread import has_unread_mail
from gemserver.lib import clock, signing
from gemserver.lib.text.fingerprint import words_of
from gemserver.mailgate.addresses import find_recipient
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.seats.renew_address import renew_address
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.models import FormerAddress, Invitation, Match, Seat
from gemserver.notify import delivery
from gemserver.notify.envelope import message_returned_to, return_address
from gemserver.notify.models import OutboxMessage
from gemserver.notify.sent_words import read_sent_words
from gemserver.operating import mail_key
from tests import builders
from tests.builders import make_match, make_table, make_user
from tests.mailgate.letters import letter, receive_at
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

FIRST, SECOND, THIRD = "first" * 12, "second" * 10, "third" * 12


@pytest.fixture(autouse=True)
def _first_key(settings) -> None:
    settings.MAIL_KEY, settings.MAIL_KEY_FALLBACKS = FIRST, []
    settings.MAIL_VERP = True


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


def change_key(settings, key: str, *former: str) -> str:
    """Change the key as an operator does, with all processes stopped; returns the command's output."""
    settings.MAIL_KEY, settings.MAIL_KEY_FALLBACKS = key, list(former)
    said = StringIO()
    call_command("rotate_mail_key", stdout=said)
    return said.getvalue()


def turn_mail(seat: Seat) -> EmailMultiAlternatives:
    """The last mail that asks this seat to move."""
    assert seat.user
    delivery.send_queued()
    sent = [each for each in mail.outbox if each.to == [seat.user.email]]
    assert sent
    return sent[-1]  # type: ignore[return-value]


def answer(seat: Seat, asked: EmailMultiAlternatives, text: str = "bid 1") -> InboundEmail:
    """A reply to this mail, to the address that it names."""
    assert seat.user
    [address] = asked.reply_to
    raw = letter(seat, text, answering=asked, To=address)
    return receive_at(address, raw, sender=seat.user.email, at=clock.now())


def test_a_reply_to_a_mail_under_the_former_key_plays(match: Match, settings) -> None:
    seat = builders.asked(match)
    asked = turn_mail(seat)
    change_key(settings, SECOND, FIRST)
    row = answer(seat, asked)
    assert (row.state, row.code) == ("done", "")
    assert match.moves.count() == 1


def test_new_mails_have_addresses_under_the_new_key_and_answers_to_them_play(match: Match, settings) -> None:
    former = turn_mail(builders.asked(match)).reply_to[0]
    change_key(settings, SECOND, FIRST)
    answer(builders.asked(match), turn_mail(builders.asked(match)))
    following = builders.asked(match)
    asked = turn_mail(following)
    token = signing.reply_token(*following.token_parts, under=SECOND)
    assert asked.reply_to == [settings.PLAY_REPLY.format(token=token)] != [former]
    assert answer(following, asked, "pass").state == "done"
    assert match.moves.count() == 2


def test_an_answer_that_came_before_and_is_not_read_yet_still_counts(match: Match, settings) -> None:
    from gemserver.mailgate import processing
    from gemserver.mailgate.ingest import ingest

    seat = builders.asked(match)
    assert seat.user
    asked = turn_mail(seat)
    ingest(letter(seat, "bid 1", answering=asked), seat.user.email, asked.reply_to[0], "smtp", {})
    change_key(settings, SECOND, FIRST)
    assert has_unread_mail(Seat.objects.get(pk=seat.pk), clock.now() + timedelta(seconds=1))
    processing.process_stored()
    assert match.moves.count() == 1


def test_what_a_mail_said_is_known_again_under_the_former_key(match: Match, settings) -> None:
    """Its words are kept as hashes under a key derived from MAIL_KEY, so that a reply that quotes it is known."""
    asked = turn_mail(builders.asked(match))
    row = OutboxMessage.objects.get(message_id=asked.extra_headers["Message-ID"])
    words = words_of(str(asked.body))
    change_key(settings, SECOND, FIRST)
    assert any((0, len(words)) in known.stretches(words) for known in read_sent_words(row))
    settings.MAIL_KEY_FALLBACKS = []
    assert not any(list(known.stretches(words)) for known in read_sent_words(row))


@pytest.mark.slow
def test_all_links_in_mailboxes_stay_good(match: Match, settings) -> None:
    ana, ben = User.objects.get(username="ana"), User.objects.get(username="ben")
    table = make_table(seats=3)
    join_table(table.pk, ana, now=clock.now())
    invite(table.pk, ana, "eve@example.net", now=clock.now())
    invitation = Invitation.objects.get()
    strange = letter(builders.asked(match), "bid 2", sender="work@example.net")
    waiting = receive_at(
        builders.asked(match).reply_address, strange, sender="work@example.net", at=clock.now()
    )
    assert waiting.state == "held"
    dee, today = make_user("dee"), clock.now().date()
    sitting = propose_sitting(match.pk, ben, "dee", today, today + timedelta(days=2), now=clock.now())
    agree_to_sit(sitting.pk, dee, now=clock.now())
    sent = OutboxMessage.objects.filter(to=ana.email).first()
    assert sent
    pages = [
        f"/u/{ana.token}/",
        f"/feeds/{ana.feed_token}/moves.ics",
        f"/feeds/{ana.feed_token}/news.atom",
        f"/invitations/{invitation.pk}/{invitation.token}/",
        f"/m/{table.code}/link/{table.link_token}/",
        held_mail.path(waiting, waiting.user.email),
    ]
    addresses = [
        *(seat.reply_address for seat in match.seats.all()),
        sitting.reply_address,
        settings.ACCOUNT_REPLY.format(token=ana.token),
    ]
    returned = return_address(sent)
    before = [Client().get(page).status_code for page in pages]
    assert 404 not in before
    for key, former in ((SECOND, [FIRST]), (THIRD, [SECOND, FIRST])):
        change_key(settings, key, *former)
        assert [Client().get(page).status_code for page in pages] == before
        assert [find_recipient(address) is not None for address in addresses] == [True] * len(addresses)
        assert message_returned_to(returned) == sent
        assert f"/u/{User.objects.get(pk=ana.pk).token}/" not in pages
    change_key(settings, THIRD)
    assert [Client().get(page).status_code for page in pages] == [404] * len(pages)
    assert [find_recipient(address) for address in addresses] == [None] * len(addresses)
    assert message_returned_to(returned) is None
    assert not EarlierToken.objects.exists()


def test_a_renewed_address_is_dead_under_both_keys(match: Match, settings) -> None:
    seat = builders.asked(match)
    under_first = seat.reply_address
    change_key(settings, SECOND, FIRST)
    under_second = Seat.objects.get(pk=seat.pk).reply_address
    renew_address(seat.pk, now=clock.now())
    for address in (under_first, under_second):
        found = find_recipient(address)
        assert found
        assert found.kind == "former"
    assert FormerAddress.objects.count() == 1


def test_links_of_an_account_that_is_saved_before_the_command_stay_good(settings) -> None:
    ana = make_user("ana")
    former = ana.token
    settings.MAIL_KEY, settings.MAIL_KEY_FALLBACKS = SECOND, [FIRST]
    User.objects.get(pk=ana.pk).save()
    assert Client().get(f"/u/{former}/").status_code == 200
    change_key(settings, SECOND, FIRST)
    assert Client().get(f"/u/{former}/").status_code == 200
    assert Client().get(f"/u/{User.objects.get(pk=ana.pk).token}/").status_code == 200


def test_the_command_may_be_run_again_and_counts_what_it_did(match: Match, settings) -> None:
    said = change_key(settings, SECOND, FIRST)
    assert said.split() == ["9", "moved", "0", "void", "0", "addresses", "0", "forgotten"]
    assert change_key(settings, SECOND, FIRST).split()[::2] == ["0", "0", "0", "0"]
    assert change_key(settings, THIRD).split() == [
        "0",
        "moved",
        "9",
        "void",
        "0",
        "addresses",
        "9",
        "forgotten",
    ]


def test_a_key_that_was_changed_alone_is_refused(match: Match, settings) -> None:
    assert check_mail_key(None, databases=["default"]) == []
    settings.MAIL_KEY, settings.MAIL_KEY_FALLBACKS = SECOND, [FIRST]
    assert [message.id for message in check_mail_key(None, databases=["default"])] == ["gemserver.E027"]
    mail_key.rotate()
    assert check_mail_key(None, databases=["default"]) == []


def test_without_former_keys_no_row_is_asked(match: Match, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        known_hash("a" * 26)


def test_sessions_and_links_to_a_password_live_on_under_a_former_secret_key(settings) -> None:
    ana = make_user("ana")
    browser = signed_in(ana)
    token = EmailAwarePasswordResetTokenGenerator().make_token(ana)
    former = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, [former]
    assert browser.get("/you/").status_code == 200
    assert EmailAwarePasswordResetTokenGenerator().check_token(ana, token)
    settings.SECRET_KEY_FALLBACKS = []
    assert browser.get("/you/").status_code == 200  # Django has signed the session anew
    assert not EmailAwarePasswordResetTokenGenerator().check_token(ana, token)


def test_a_session_that_nobody_used_meanwhile_ends_with_the_former_key(settings) -> None:
    browser = signed_in(make_user("ana"))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, []
    assert browser.get("/you/").status_code == 302
