"""People without an account who write to the lobby, and players who write there."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.newcomers import free_name
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.notify import delivery
from tests.builders import make_match, make_user

pytestmark = pytest.mark.django_db

LOBBY = "play@gem.localhost"
DORA = "dora@example.net"


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any) -> None:
    settings.MAIL_AUTH = "normal"


def write(body: str, *, sender: str = DORA, to: str = LOBBY, subject: str = "", **auth: str) -> InboundEmail:
    """Receive and read a mail from this address to the lobby; `auth` is what the receiver could prove."""
    fields = {name: auth.pop(name) for name in list(auth) if name[0].isupper()}
    number = InboundEmail.objects.count()
    letter = EmailMessage()
    letter["Date"] = clock.now()
    letter["From"], letter["To"], letter["Subject"] = sender, to, subject
    letter["Message-ID"] = f"<{number}@client.example.net>"
    letter.set_content(body)
    for name, value in fields.items():
        letter[name.replace("_", "-")] = value
    row = ingest(letter.as_bytes(), sender, to, "smtp", auth)
    processing.process_stored()
    row.refresh_from_db()
    return row


def sent() -> list[EmailMultiAlternatives]:
    delivery.send_queued()
    return list(mail.outbox)  # type: ignore[arg-type]


def code_in(question: EmailMultiAlternatives) -> str:
    """In whatever language the question is."""
    found = re.search(r"confirm ([a-z2-7]{5}-[a-z2-7]{5})", str(question.body))
    assert found
    return found[1]


def test_a_stranger_is_asked_and_the_answer_makes_an_account() -> None:
    assert write("Hello,\n\nhelp\n\nDora").code == "asked-to-confirm"
    assert not User.objects.exists()
    (question,) = sent()
    assert (question.to, question.reply_to) == ([DORA], [LOBBY])
    assert question.extra_headers["Auto-Submitted"] == "auto-replied"
    row = write(f"confirm {code_in(question)}")
    assert row.state == "done"
    dora = User.objects.get()
    assert (dora.username, dora.email, dora.time_zone, dora.language) == ("dora", DORA, "UTC", "en")
    assert dora.verified_addresses() == {DORA}
    assert not dora.has_usable_password()
    receipt = sent()[-1]
    assert receipt.to == [DORA]
    assert receipt.reply_to == [f"me+{dora.token}@gem.localhost"]
    assert "Welcome" in str(receipt.body)
    assert "the others see you as “dora”" in " ".join(str(receipt.body).split())


def test_nothing_that_a_stranger_wrote_goes_out_again() -> None:
    write("Buy cheap rings at https://evil.example\njoin gem\nnew evil-word", subject="Win a prize\n")
    (question,) = sent()
    text = f"{question.subject} {question.body} {question.alternatives[0][0]} {question.extra_headers}"
    for word in ("evil", "rings", "prize"):
        assert word not in text
    assert "You sit down at a table of GEM." in text


def test_one_question_a_day() -> None:
    write("join gem")
    assert write("join gem\nplease").code == "asked-already"
    Ticket.objects.update(created_at=clock.now() - timedelta(hours=25))
    assert write("join gem\nagain").code == "asked-to-confirm"
    assert len(sent()) == 2


def test_no_more_questions_an_hour_than_the_operator_allows(settings: Any) -> None:
    settings.SIGN_UP_RATE = 2
    codes = [write("help", sender=f"{name}@example.net").code for name in ("eve", "fay", "gus")]
    assert codes == ["asked-to-confirm", "asked-to-confirm", "too-many-strangers"]


@pytest.mark.parametrize("sender", ["root@localhost", "dora@[127.0.0.1]", "dora@gem.localhost"])
def test_no_question_goes_to_an_address_that_is_nowhere_on_the_internet(sender: str) -> None:
    assert write("join gem", sender=sender).state == "dropped"
    assert sent() == []


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("help", {"dmarc": "fail"}),
        ("help", {"spf": "fail"}),
        ("help", {"Auto_Submitted": "auto-replied"}),
        ("help", {"Precedence": "list"}),
        ("help", {"Return_Path": "<>"}),
        ("help", {"subject": "Out of office: help"}),
        ("Hello, is anybody there?", {}),
        ("bid 3", {}),
        ("vacation 2026-03-01 2026-03-09", {}),
        ("confirm abcde-fghij", {}),
        ("> help", {}),
        ("help", {"sender": "dora@example.net, eve@example.net"}),
        ("help", {"sender": "mailer-daemon@example.net"}),
        ("help", {"sender": LOBBY}),
    ],
)
def test_who_may_be_forged_or_a_machine_is_never_answered(body: str, fields: dict[str, str]) -> None:
    row = write(body, **fields)
    assert row.state == "dropped", row.code
    assert sent() == []
    assert not Ticket.objects.exists()


def test_a_mail_without_envelope_sender_is_never_answered() -> None:
    raw = b"From: dora@example.net\nTo: play@gem.localhost\nMessage-ID: <1@x.example>\n\nhelp\n"
    row = ingest(raw, "", LOBBY, "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("dropped", "automatic:null-sender")
    assert sent() == []


def test_who_wants_no_mail_of_ours_is_not_asked() -> None:
    UnreachableAddress.objects.create(address=DORA, why="opted out", since=clock.now())
    assert write("help").code == "stranger-unreachable"
    assert sent() == []


def test_strict_servers_ask_only_proved_senders(settings: Any) -> None:
    settings.MAIL_AUTH = "strict"
    assert write("help").code == "stranger-forged"
    assert write("help\n", sender="eve@example.net", dmarc="pass").code == "asked-to-confirm"


def test_the_wish_in_the_subject_counts_when_the_text_has_none() -> None:
    assert write("Greetings!", subject="join gem").code == "asked-to-confirm"


def test_a_code_is_good_once_from_its_own_address() -> None:
    write("help")
    code = code_in(sent()[0])
    assert write(f"confirm {code}", sender="eve@example.net").state == "dropped"
    assert write(f"confirm {code}\n", dmarc="fail").state == "dropped"
    assert not User.objects.exists()
    assert write(f"Confirm {code.upper()}.").state == "done"
    before = len(sent())
    write(f"confirm {code}\nagain", dmarc="pass")
    assert User.objects.count() == 1
    assert "There is nothing to confirm" in " ".join(str(sent()[before].body).split())


def test_a_code_that_comes_back_too_late_is_asked_for_anew() -> None:
    write("help")
    code = code_in(sent()[0])
    Ticket.objects.update(
        created_at=clock.now() - timedelta(days=3), expires_at=clock.now() - timedelta(days=1)
    )
    assert write(f"confirm {code}").code == "asked-to-confirm"
    assert not User.objects.exists()
    newer = code_in(sent()[1])
    assert write(f"confirm {newer}").state == "done"


def test_a_crash_behind_the_confirmation_costs_nothing() -> None:
    """The account is there and the mail is read again: the same receipt, one account."""
    write("help")
    row = write(f"confirm {code_in(sent()[0])}\nquiet 22-07 Europe/Prague")
    first = row.results
    hours = User.objects.get().hours.count()
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.results) == ("done", first)
    assert User.objects.get().time_zone == "Europe/Prague"
    assert User.objects.get().hours.count() == hours
    assert len(sent()) == 2


def test_the_language_of_the_mail_is_taken_when_there_is_a_catalogue(settings: Any) -> None:
    settings.LANGUAGES = [("en", "English"), ("fr", "Français")]
    write("help", Content_Language="fr-CA, en")
    write(f"confirm {code_in(sent()[0])}")
    assert User.objects.get().language == "fr"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("Ana.Maria+gem@example.net", "ana.maria"),
        ("postmaster2@example.net", "postmaster2"),
        ("admin@example.net", "player-2"),
        ("x@example.net", "player-2"),
        ("ben@example.net", "ben-2"),
        ("=?weird?=@example.net", "weird"),
        ("a-very-long-name-before-the-at@example.net", "a-very-long-name-bef"),
    ],
)
def test_the_name_comes_from_the_address_and_is_nobody_elses(address: str, name: str) -> None:
    make_user("Ben")
    assert free_name(address) == name


def test_an_address_that_has_an_account_by_then_keeps_it() -> None:
    write("help")
    (question,) = sent()
    dora = make_user("dora-the-first")
    EmailAddress.objects.create(user=dora, email="dora@example.net", verified=True)
    assert write(f"confirm {code_in(question)}", sender="Dora@Example.net").user == dora
    assert User.objects.count() == 1


def test_a_player_may_write_to_the_lobby_when_the_sender_is_proved() -> None:
    ana = make_user("ana")
    row = write("quiet 22-07 Europe/Prague", sender=ana.email, dmarc="pass")
    assert (row.state, row.user) == ("done", ana)
    assert sent()[0].reply_to == [f"me+{ana.token}@gem.localhost"]


def test_a_player_whose_sender_is_not_proved_is_told_the_own_address_once_a_day() -> None:
    ana = make_user("ana")
    row = write("quiet 22-07", sender=ana.email)
    assert (row.state, row.code) == ("refused", "unproved-to-lobby")
    write("quiet 22-08", sender=ana.email)
    (told,) = sent()
    assert told.to == [ana.email]
    assert told.reply_to == [f"me+{ana.token}@gem.localhost"]
    assert not ana.hours.exists()


def test_a_forged_player_at_the_lobby_is_not_answered() -> None:
    ana = make_user("ana")
    row = write("quiet 22-07", sender=ana.email, dmarc="fail")
    assert (row.state, row.code) == ("dropped", "forged-to-lobby")
    assert sent() == []


def test_the_tag_in_the_subject_says_which_match_a_proved_mail_to_the_lobby_means() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_match(players=[ana, ben], now=clock.now())
    asked = match.seats.select_related("user").get(is_waiting=True)
    assert asked.user
    subject = f"Re: [GEM {match.code}] ana, ben"
    assert write("bid 0", sender=asked.user.email, subject=subject).code == "unproved-to-lobby"
    assert write("bid 0\n", sender=asked.user.email, subject=subject, dmarc="pass").state == "done"
    assert match.moves.get().text == "bid 0"


def test_strangers_of_one_domain_leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """mail-requirements.md L8: by domain only strangers are counted."""
    from gemserver.mailgate import sign_up as rules

    monkeypatch.setattr(rules, "PER_DOMAIN_AND_HOUR", 2)
    codes = [write("help", sender=f"eve{number}@many.example").code for number in range(3)]
    assert codes == ["asked-to-confirm", "asked-to-confirm", "too-many-strangers"]
    assert write("help", sender="fay@few.example").code == "asked-to-confirm"


@pytest.mark.parametrize(
    "answer",
    [
        "Yes, I would like to play.",
        "Sure, sign me up!",
        "Yes please, I'd love to play GEM",
        "Oui, je veux bien jouer !",
        "Ja, ich möchte mitspielen",
        "yes. I would like to play GEM against a bot",
        "Hello,\n\nyes make me an account\n\nDora",
        "I'd like to play",
        "Oui, créez mon compte s'il vous plaît",
        "ja, mach mir ein Konto",
        "👍",
    ],
)
def test_the_question_is_answered_by_a_sentence_that_means_yes(answer: str) -> None:
    write("Hello,\n\nhelp")
    (question,) = sent()
    row = write(answer, In_Reply_To=str(question.extra_headers["Message-ID"]), dmarc="pass")
    assert row.state == "done", row.code
    assert User.objects.get().verified_addresses() == {DORA}
    assert re.search("Welcome|Bienvenue|Willkommen", str(sent()[-1].body))


def test_a_sentence_that_says_yes_takes_a_seat_too() -> None:
    write("Hello,\n\nhelp")
    (question,) = sent()
    write(
        "Yes please, I'd love to play GEM",
        In_Reply_To=str(question.extra_headers["Message-ID"]),
        dmarc="pass",
    )
    assert User.objects.get().seats.get().match.game == "gem"


@pytest.mark.parametrize(
    "answer",
    [
        "Yes, but not before May",
        "No thanks",
        "yes? who are you",
        "Who is this?",
        "ja, aber erst später",
        "Gerne helfen wir Ihnen weiter, Ihre Anfrage ist eingegangen.",
        "OK, we have received your request.",
        "I don't want to play",
        "👎",
    ],
)
def test_a_sentence_that_takes_its_yes_back_makes_no_account(answer: str) -> None:
    write("Hello,\n\nhelp")
    (question,) = sent()
    for _ in range(3):
        write(answer, In_Reply_To=str(question.extra_headers["Message-ID"]), dmarc="pass")
    assert not User.objects.exists()
    assert len(sent()) <= 2


def test_who_answers_the_question_in_other_words_is_asked_once_more() -> None:
    write("Hello,\n\nhelp")
    (question,) = sent()
    row = write("Well, how about it", In_Reply_To=str(question.extra_headers["Message-ID"]), dmarc="pass")
    assert row.code == "asked-to-confirm"


@pytest.mark.parametrize("answer", ["Yes, I would like to play.", "👍"])
def test_a_sentence_of_a_sender_who_is_not_proved_makes_no_account(answer: str) -> None:
    write("Hello,\n\nhelp")
    (question,) = sent()
    write(answer, In_Reply_To=str(question.extra_headers["Message-ID"]))
    assert not User.objects.exists()
