"""A yes or a no in plain words, as the answer to a mail that asks for consent (mail-requirements.md T12)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.lines.short_words import is_absence, listed, read_answer, read_wish
from gemserver.mailgate.reactions import read_reaction
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.models import Holiday, Match, Sitting, Undo
from tests.builders import asked, make_user, play
from tests.mailgate.ordinary import gather
from tests.mailgate.posting import codes, one_line, sent_to
from tests.mailgate.replying import match_with_open_undo, receive, reply

pytestmark = pytest.mark.django_db

SAMPLE = Path(gather.__file__).with_name("sample.txt")

YES = (
    *(
        "yes",
        "Yes!",
        "Ok, fine with me",
        "agreed",
        "Agreed.",
        "Sure, go ahead Ben, no problem!",
        "ok 👍",
        "Hi Ben, fine",
    ),
    *(
        "oui",
        "D'accord",
        "d’accord, pas de problème",
        "Oui, bien sûr ! Merci",
        "ça me va",
        "Bonjour, c'est bon pour moi",
    ),
    *(
        "ja",
        "Ja, gerne!",
        "einverstanden",
        "Hallo Ben, von mir aus gern",
        "ok, passt für mich",
        "- yes",
        "*yes*",
    ),
    *(
        "fine by me, you can take it back",
        "ja klar, nimm zurück",
        "na klar darfst du zurück",
        "tu peux le reprendre",
    ),
    *("Agree!", "No objections from me.", "keine Einwände", "Yes, please do. Best regards, Ana"),
)
NO = (
    *("no", "No, sorry.", "nope", "I'd rather not", "no thanks", "I don't agree", "refuse!"),
    *("no, you may not take it back", "nein, nicht zurücknehmen", "non, pas de retour en arrière"),
    *("non", "Non merci", "plutôt pas", "désolé, non"),
    *("nein", "nein, lieber nicht", "Lieber nicht, Ben", "nein danke", "leider nein"),
)
NEITHER = (
    *(
        "yes, but not before Monday",
        "yes?",
        "Is that ok?",
        "ok, no",
        "no idea",
        "yes if Ben agrees",
        "fine, whatever it is",
    ),
    *(
        "yesterday",
        "I said yes to Ben",
        "oui mais pas lundi",
        "ja, aber nur dieses Mal",
        "not sure",
        "yes no",
        "ok or not",
    ),
    *(
        "You agreed to it",
        "thanks",
        "Ben",
        "",
        "I am not fine with that at all",
        "ja oder nein",
        "d'accord ou pas",
    ),
)


@pytest.fixture
def match() -> Match:
    """Ana, Ben and Cy; whoever moved first wants the move back."""
    return match_with_open_undo()


@pytest.fixture
def proposer(match: Match) -> User:
    found = match.seats.select_related("user").get(index=Undo.objects.get().seat).user
    assert found
    return found


@pytest.fixture
def other(match: Match, proposer: User) -> User:
    """One of those who are asked."""
    return User.objects.filter(seats__match=match).exclude(pk=proposer.pk).order_by("pk")[0]


def question(user: User, words: str = "take back") -> EmailMultiAlternatives:
    return next(mail for mail in sent_to(user) if words in str(mail.subject))


@pytest.mark.parametrize("line", YES)
def test_lines_that_say_yes(line: str) -> None:
    assert read_answer(line, ["Ana", "Ben"]) is True


@pytest.mark.parametrize("line", NO)
def test_lines_that_say_no(line: str) -> None:
    assert read_answer(line, ["Ana", "Ben"]) is False


@pytest.mark.parametrize("line", NEITHER)
def test_lines_that_say_neither(line: str) -> None:
    assert read_answer(line, ["Ana", "Ben"]) is None


def test_no_phrase_says_both() -> None:
    assert not listed("(yes)") & listed("(no)")
    assert not (listed("(yes)") | listed("(no)")) & listed("(beside)")


@pytest.mark.parametrize(
    "body", ["yes", "Hi Ben,\n\nOk, fine with me!\n\nBest,\nAna", "oui", "Einverstanden.\n-- \nA. B."]
)
def test_a_yes_agrees_to_what_its_mail_asked(body: str, match: Match, other: User) -> None:
    row = receive(reply(question(other), other.email, body))
    assert row.state == "done"
    assert "done" in codes(row)
    assert len(Undo.objects.get().agreed) == 2
    assert "agree The match goes back to before move 1 when all others agree" in one_line(sent_to(other)[-1])


def test_a_no_turns_it_down(other: User) -> None:
    assert codes(receive(reply(question(other), other.email, "nein, lieber nicht"))) == ["done"]
    assert Undo.objects.get().outcome == "refused"


def test_a_yes_to_days_off_leaves_an_open_undo_alone(match: Match, proposer: User, other: User) -> None:
    today = clock.now().date()
    propose_holiday(match.pk, proposer, today, today, now=clock.now())
    for word in ("yes", "agree"):
        receive(reply(question(other, "days off"), other.email, word))
    assert (len(Holiday.objects.get().agreed), len(Undo.objects.get().agreed)) == (2, 1)


@pytest.mark.parametrize("word", ["yes", "ja", "oui"])
def test_each_mail_that_asks_for_consent_says_that_a_yes_will_do_and_it_does(
    word: str, match: Match, proposer: User, other: User
) -> None:
    dora, today = make_user("dora"), clock.now().date()
    propose_holiday(match.pk, proposer, today, today, now=clock.now())
    holder = asked(match).user
    assert holder
    propose_sitting(match.pk, holder, "dora", today, today, now=clock.now())
    for asks, reader in (("take back", other), ("days off", other), ("Will you play for", dora)):
        mail = question(reader, asks)
        for text in (one_line(mail), str(mail.alternatives[0][0])):
            assert "A plain yes or no in reply will do" in text.replace("\N{NO-BREAK SPACE}", " ")
        assert codes(receive(reply(mail, reader.email, word))) == ["done"]
    assert (len(Holiday.objects.get().agreed), len(Undo.objects.get().agreed)) == (2, 2)
    assert Sitting.objects.get().agreed_at


def test_a_late_yes_is_told_that_nothing_is_asked_any_more(match: Match, other: User) -> None:
    mail = question(other)
    seat = asked(match)
    play(match, seat.index, "bid 2", now=clock.now())
    row = receive(reply(mail, other.email, "yes"))
    assert (row.state, codes(row)) == ("refused", ["no-proposal"])


def test_a_yes_to_sit_for_somebody(match: Match) -> None:
    dora, holder = make_user("dora"), asked(match).user
    assert holder
    today = clock.now().date()
    propose_sitting(match.pk, holder, "dora", today, today + timedelta(days=3), now=clock.now())
    assert codes(receive(reply(question(dora, "Will you play for"), dora.email, "Oui, avec plaisir !"))) == [
        "done"
    ]
    assert Sitting.objects.get().agreed_at


@pytest.mark.parametrize(
    "body", ["ok\nBut I want to think about it until tomorrow", "yes\nno", "Well, what did you mean to do?"]
)
def test_a_yes_beside_other_words_settles_nothing_and_both_answers_are_offered(
    body: str, other: User
) -> None:
    row = receive(reply(question(other), other.email, body))
    assert row.state == "refused"
    assert codes(row)[-1] == "agree-or-refuse"
    answer = sent_to(other)[-1]
    assert "write one word on a line of its own: agree or refuse" in one_line(answer)
    assert "body=refuse" in str(answer.alternatives[0][0])
    assert len(Undo.objects.get().agreed) == 1


def test_a_yes_to_any_other_mail_is_no_answer(match: Match, other: User) -> None:
    receive(reply(sent_to(other)[0], other.email, "yes"))
    assert len(Undo.objects.get().agreed) == 1


def test_somebody_elses_yes_counts_for_nobody(match: Match, proposer: User, other: User) -> None:
    third = User.objects.filter(seats__match=match).exclude(pk__in=[proposer.pk, other.pk]).get()
    row = receive(reply(question(other), third.email, "yes"))
    assert row.state in {"held", "dropped"}
    assert len(Undo.objects.get().agreed) == 1


def test_a_note_of_absence_that_says_yes_settles_nothing(other: User) -> None:
    letter = reply(question(other), other.email, "yes")
    letter.replace_header("Subject", f"Automatic reply: {letter['Subject']}")
    receive(letter)
    assert len(Undo.objects.get().agreed) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Thank you for your message. I am out of the office until 3 May.",
        "Ich bin bis einschließlich 3. Mai im Urlaub.",
        "Je suis absente jusqu'au 3 mai.",
    ],
)
def test_notes_of_absence(text: str) -> None:
    assert is_absence(text)


@pytest.mark.slow
def test_ordinary_mail_says_hardly_ever_yes_and_never_asks_for_a_seat() -> None:
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if read_wish(line) or read_reaction(line, line)] == []
    assert [line for line in lines if read_answer(line) is not None] == ["Yeah yeah yeah"]
