"""`resign` asks, `resign CODE` does it: once, for this seat and holder, never from a mail that was held.

See mail-requirements.md T9.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.lines.commands import read_lines
from gemserver.mailgate.reply import extract_text
from gemserver.matches.models import Match, Seat
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import account_address, codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def seat(match: Match) -> Seat:
    return match.seats.select_related("user", "match").get(user__username="ana")


@pytest.fixture
def ana(seat: Seat) -> User:
    assert seat.user
    return seat.user


def code_in(message: EmailMultiAlternatives) -> str:
    return str(message.body).partition("The code:  ")[2].split()[0]


def ask(seat: Seat, ana: User) -> EmailMultiAlternatives:
    assert codes(write(ana, "resign", to=seat.reply_address)) == ["shown"]
    return sent_to(ana)[-1]


def test_the_word_alone_only_asks_and_the_code_stands_apart_from_it(
    match: Match, seat: Seat, ana: User
) -> None:
    answer = ask(seat, ana)
    assert (
        str(answer.body).splitlines()[2]
        == "You have NOT resigned yet: send the code below with the word resign."
    )
    code = code_in(answer)
    assert all("resign" not in line for line in str(answer.body).splitlines() if code in line)
    match.refresh_from_db()
    assert match.is_running


def test_no_line_of_the_mail_with_the_code_resigns_when_it_comes_back_unquoted(seat: Seat, ana: User) -> None:
    answer = ask(seat, ana)
    names = {getattr(line, "name", "") for line in read_lines(str(answer.body))}
    assert "resign" not in names
    assert read_lines(extract_text(f"ok\n\n{answer.body}")) == read_lines("ok")


def test_the_code_resigns(match: Match, seat: Seat, ana: User) -> None:
    code = code_in(ask(seat, ana))
    row = write(ana, f"Resign {code.upper()}.", to=seat.reply_address)
    assert codes(row) == ["done"]
    match.refresh_from_db()
    assert (match.status, match.ending) == ("finished", "resigned")
    assert match.moves.get(text="resign").source == "mail"
    assert "You have resigned" in one_line(sent_to(ana)[-1])


def test_the_code_is_good_at_the_address_of_the_account_too(match: Match, ana: User) -> None:
    assert codes(write(ana, f"{match.code}: resign")) == ["shown"]
    code = code_in(sent_to(ana)[-1])
    assert codes(write(ana, f"{match.code}: resign {code}")) == ["done"]


def test_a_code_is_good_once_for_two_days_for_its_seat_and_player(
    match: Match, seat: Seat, ana: User
) -> None:
    first = code_in(ask(seat, ana))
    second = code_in(ask(seat, ana))
    assert codes(write(ana, f"resign {first}", to=seat.reply_address)) == ["wrong-code"]
    other = match.seats.select_related("user").get(user__username="ben")
    assert other.user
    assert codes(write(other.user, f"resign {second}", to=other.reply_address)) == ["wrong-code"]
    assert codes(write(ana, "resign abcde-fghij", to=seat.reply_address)) == ["wrong-code"]
    Ticket.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    assert codes(write(ana, f"resign {second}", to=seat.reply_address)) == ["wrong-code"]
    match.refresh_from_db()
    assert match.is_running


def test_without_the_token_in_the_address_nothing_irreversible_is_done(
    match: Match, seat: Seat, ana: User
) -> None:
    code = code_in(ask(seat, ana))
    row = write(
        ana,
        f"resign {code}",
        to="play@gem.localhost",
        subject=f"Re: [GEM {match.code}] ana, ben",
        dmarc="pass",
    )
    assert codes(row) == ["not-binding"]
    assert Match.objects.get().is_running


def test_a_stranger_with_address_and_code_does_not_resign_even_when_the_mail_is_let_pass(
    match: Match, seat: Seat, ana: User, client: Client
) -> None:
    code = code_in(ask(seat, ana))
    row = receive(seat, letter(seat, f"resign {code}", sender="mallory@elsewhere.example"))
    assert row.state == "dropped", "alone it is not even held"
    row = receive(seat, letter(seat, f"status\nresign {code}", sender="mallory@elsewhere.example"))
    assert row.state == "held"
    question = sent_to(ana)[-1]
    assert code not in str(question.body)
    page = next(word for word in str(question.body).split() if "/mail/held/" in word)
    client.post(page.removeprefix("http://localhost:8000"), {"choice": "once"})
    processing.process_stored()
    row.refresh_from_db()
    assert codes(row) == ["shown", "not-binding"]
    assert Match.objects.get().is_running


def test_a_stale_mail_still_asks_and_resigns(seat: Seat, ana: User) -> None:
    """It depends on no turn (mail-requirements.md T2)."""
    row = write(ana, "bid 1 #99\nresign", to=seat.reply_address)
    assert codes(row)[-1] == "shown"
    assert (
        codes(write(ana, f"bid 1 #99\nresign {code_in(sent_to(ana)[-1])}", to=seat.reply_address))[-1]
        == "done"
    )


def test_read_again_after_a_crash_the_code_in_the_answer_is_the_one_that_counts(
    seat: Seat, ana: User
) -> None:
    row = write(ana, "resign", to=seat.reply_address)
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    assert Ticket.objects.filter(expires_at__gt=clock.now()).count() == 1


def test_a_finished_match_cannot_be_resigned(seat: Seat, ana: User) -> None:
    code = code_in(ask(seat, ana))
    write(ana, f"resign {code}", to=seat.reply_address)
    assert codes(write(ana, "resign", to=seat.reply_address)) == ["over"]


def test_resign_says_which_match_at_the_account(ana: User) -> None:
    assert codes(write(ana, "resign")) == ["no-match"]
    assert account_address(ana).startswith("me+")
