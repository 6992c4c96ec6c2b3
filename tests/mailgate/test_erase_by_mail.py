"""`erase` asks, and its code from the registered address erases the account as the page does.

See mail-requirements.md T9.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.lines.commands import read_lines
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import ChatMessage, Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_table, make_user
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana() -> User:
    return make_user("ana")


@pytest.fixture
def match(ana: User) -> Match:
    return make_match(players=[ana, make_user("ben"), make_user("cy")], now=clock.now())


def code_in(message: EmailMultiAlternatives) -> str:
    return str(message.body).partition("The code:  ")[2].split()[0]


def ask(ana: User) -> EmailMultiAlternatives:
    assert codes(write(ana, "erase", dmarc="pass")) == ["shown"]
    return sent_to(ana)[-1]


def test_the_word_alone_says_what_would_go_and_erases_nothing(ana: User, match: Match) -> None:
    make_table(seats=3, creator=ana)
    answer = ask(ana)
    assert "Your account is NOT erased yet" in one_line(answer)
    assert "your name, addresses, mails, notes, and what you said at tables" in one_line(answer)
    assert "resign your running matches (1) and leave the tables that wait (1)" in one_line(answer)
    assert "“player 3”" in one_line(answer)
    code = code_in(answer)
    assert code in str(answer.alternatives[0][0])
    assert all("erase " not in line for line in str(answer.body).splitlines() if code in line)
    assert User.objects.filter(pk=ana.pk).exists()


def test_the_code_erases_what_the_page_erases_and_a_last_mail_says_so(ana: User, match: Match) -> None:
    say(match.pk, ana, "Hello", "web:1", now=clock.now())
    code = code_in(ask(ana))
    with pytest.raises(InboundEmail.DoesNotExist):  # the mail goes with its writer
        write(ana, f"Erase {code.upper()}.", dmarc="pass")
    assert not User.objects.filter(username="ana").exists()
    assert not ChatMessage.objects.exists()
    assert not InboundEmail.objects.filter(sender="ana@example.org").exists()
    assert match.moves.get(text="resign").source == "mail"
    assert match.seats.get(index=0).user is None
    assert (
        not OutboxMessage.objects.filter(to="ana@example.org", state="queued")
        .exclude(kind="account")
        .exists()
    )
    delivery.send_queued()
    last = mail.outbox[-1]
    assert last.to == ["ana@example.org"]
    assert "Your account is erased, as you have asked." in str(last.body)


@pytest.mark.parametrize(
    ("proof", "auth", "is_told"),
    [("none", "normal", True), ("none", "strict", False), ("fail", "normal", False)],
)
def test_without_a_proof_of_the_sender_there_is_no_code(
    proof: str, auth: str, is_told: bool, ana: User, match: Match, settings
) -> None:
    settings.MAIL_AUTH = "normal"
    code = code_in(ask(ana))
    settings.MAIL_AUTH = auth
    for body in ("erase", f"erase {code}"):
        row = write(ana, body, dmarc=proof)
        assert codes(row) == (["on-the-web"] if is_told else [])
    assert User.objects.filter(pk=ana.pk).exists()
    if is_told:
        assert "http://localhost:8000/you/erase/" in one_line(sent_to(ana)[-1])


def test_another_address_of_the_player_is_not_the_registered_one(ana: User, match: Match) -> None:
    code = code_in(ask(ana))
    EmailAddress.objects.create(user=ana, email="ana@work.example", verified=True)
    seat = match.seats.select_related("user", "match").get(user=ana)
    for body in ("erase", f"erase {code}"):
        assert codes(receive(seat, letter(seat, body, sender="ana@work.example"), dmarc="pass")) == [
            "on-the-web"
        ]


def test_at_the_address_that_everybody_knows_nothing_is_erased(ana: User, match: Match) -> None:
    code = code_in(ask(ana))
    row = write(ana, f"erase {code}", to="play@gem.localhost", dmarc="pass")
    assert codes(row) == ["on-the-web"]
    assert User.objects.filter(pk=ana.pk).exists()


def test_a_code_is_good_for_an_hour_for_its_player_alone(ana: User, match: Match) -> None:
    first, second = code_in(ask(ana)), code_in(ask(ana))
    ben = User.objects.get(username="ben")
    assert codes(write(ana, f"erase {first}")) == ["wrong-code"]
    assert codes(write(ben, f"erase {second}")) == ["wrong-code"]
    assert codes(write(ana, "erase abcde-fghij")) == ["wrong-code"]
    assert Ticket.objects.get(expires_at__gt=clock.now()).expires_at <= clock.now() + timedelta(hours=1)
    Ticket.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    assert codes(write(ana, f"erase {second}")) == ["wrong-code"]
    assert User.objects.filter(username__in=["ana", "ben"]).count() == 2


@pytest.mark.parametrize("how", ["quoted", "subject", "forwarded", "the answer itself"])
def test_a_code_that_was_not_typed_erases_nothing(how: str, ana: User, match: Match) -> None:
    answer = ask(ana)
    code = code_in(answer)
    if how == "subject":
        write(ana, "Hello", subject=f"erase {code}")
    else:
        bodies = {
            "quoted": f"What is this?\n\n> erase {code}",
            "forwarded": f"---------- Forwarded message ---------\nFrom: a@b.example\nTo: x@y.example\n\nerase {code}",
            "the answer itself": f"Is this right?\n\n{answer.body}",
        }
        write(ana, bodies[how])
    assert User.objects.filter(pk=ana.pk).exists()


def test_no_line_of_the_mail_with_the_code_erases(ana: User, match: Match) -> None:
    names = {getattr(line, "name", "") for line in read_lines(str(ask(ana).body))}
    assert "erase" not in names


def test_a_crash_before_the_end_leaves_the_account_and_the_second_reading_erases_it(
    ana: User, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = code_in(ask(ana))
    with monkeypatch.context() as patch:
        patch.setattr(processing.answers, "erase", lambda *_, **__: 1 / 0)
        row = write(ana, f"erase {code}")
    assert User.objects.filter(pk=ana.pk).exists()
    InboundEmail.objects.filter(pk=row.pk).update(claimed_until=None)
    processing.process_stored()
    assert not User.objects.filter(pk=ana.pk).exists()
