"""Joining in one answer: codes, a plain yes, wishes in plain words, and what never counts as any of them.

See mail-requirements.md L9.
"""

from __future__ import annotations

import re
from email.message import EmailMessage
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.lines.short_words import read_wish
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.models import Invitation, Match, Seat
from gemserver.notify import delivery
from tests.builders import make_table, make_user
from tests.mailgate.posting import codes, one_line
from tests.mailgate.replying import outlook_head, receive, reply
from tests.mailgate.test_sign_up import DORA, LOBBY, code_in, write
from tests.puzzles.puzzles import pose

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any) -> None:
    settings.MAIL_AUTH = "normal"


def sent(to: str = DORA) -> list[EmailMultiAlternatives]:
    delivery.send_queued()
    return [each for each in mail.outbox if to in each.to]  # type: ignore[misc]


def table(game: str = "gem", **fields: Any) -> Match:
    """A table of three at which Ana sits."""
    ana = User.objects.filter(username="ana").first() or make_user("ana")
    return make_table(game, seats=3, creator=ana, now=clock.now(), **fields)


def answer(body: str, **auth: str) -> InboundEmail:
    """Dora's answer to the last question, from a proved sender unless told otherwise."""
    auth.setdefault("dmarc", "pass")
    return receive(reply(sent()[-1], DORA, body), **auth)


@pytest.mark.parametrize(
    ("line", "wish"),
    [
        ("I'd like to play", ("", "")),
        ("I’d like to play GEM.", ("gem", "")),
        ("Hi, can I join?", ("", "")),
        ("Sign me up!", ("", "")),
        ("Can I join a game of Florentine Domino?", ("florentine", "")),
        ("I want to play a game of Gembatan, please", ("gembatan", "")),
        ("May I join table M17?", ("", "M17")),
        ("ich möchte mitspielen", ("", "")),
        ("Hallo, ich würde gerne bei GEM mitspielen!", ("gem", "")),
        ("Kann ich an Tisch M3 mitspielen?", ("", "M3")),
        ("je voudrais jouer", ("", "")),
        ("Bonjour, j'aimerais jouer à Gemessengers, s'il vous plaît.", ("gemessengers", "")),
        ("I'd like to play chess", None),
        ("I'd like to play GEM or Gembatan", None),
        ("I don't want to play", None),
        ("I'd like to play GEM, but not now", None),
        ("Would you like to play GEM?", None),
        ("Ben can join", None),
        ("GEM", None),
        ("Thanks", None),
    ],
)
def test_wishes(line: str, wish: tuple[str, str] | None) -> None:
    read = read_wish(line)
    assert (read and (read.game, read.table)) == wish


@pytest.mark.parametrize(
    "line",
    [
        "I want to learn GEM",
        "I'd like to learn how to play GEM, please!",
        "learn gem",
        "teach me gem",
        "Tutorial: gem",
        "I'd like to try the tutorial for GEM",
        "How do I play GEM?",
        "I'd like to play GEM. I'd like to learn it first.",
        "Ich möchte GEM lernen",
        "Wie spielt man GEM?",
        "Bring mir bitte GEM bei",
        "Ich würde gern das Tutorial zu GEM machen.",
        "Je voudrais apprendre GEM",
        "apprendre gem",
        "tutoriel gem",
        "Bonjour, je voudrais apprendre à jouer à GEM, svp",
    ],
)
def test_who_wants_to_learn_a_game_gets_its_tutorial_and_no_seat(line: str) -> None:
    table("gem")
    ben = make_user("ben")
    row = write(line, sender=ben.email, dmarc="pass")
    assert [result["line"] for result in row.results] == ["tutorial gem"]
    assert "step 1" in sent(ben.email)[-1].subject
    assert not ben.seats.exists()


def test_a_wish_counts_as_the_subject_too() -> None:
    """mail-requirements.md T7."""
    ben = make_user("ben")
    row = write("Hello!", subject="I want to learn GEM", sender=ben.email, dmarc="pass")
    assert codes(row)[-1] == "shown"
    row = write("Hello", subject="I'd like to play GEM", sender=ben.email, dmarc="pass")
    assert ben.seats.get().match.game == "gem"


def test_a_subject_that_is_no_command_is_not_told_beside_a_question_which_table() -> None:
    ben = make_user("ben")
    row = write("I'd like to play", subject="Gem", sender=ben.email, dmarc="pass")
    assert codes(row) == ["which-table"]


def test_who_wants_to_learn_but_names_no_game_is_asked_which() -> None:
    ben = make_user("ben")
    write("I'd like to learn", sender=ben.email, dmarc="pass")
    assert "tutorial%20gem" in str(sent(ben.email)[-1].alternatives[0][0])
    assert not ben.seats.exists()


@pytest.mark.parametrize("line", ["I learnt GEM yesterday", "The rules of GEM", "I want to learn chess"])
def test_what_only_speaks_of_learning_is_no_wish(line: str) -> None:
    assert read_wish(line) is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("I'd like to play GEM", "You sit down at a table of GEM."),
        ("join GEM!", "You sit down at a table of GEM."),
        ("Hi there,\n\nje voudrais jouer à GEM !\n\nDora", "Vous vous asseyez à une table de GEM."),
    ],
)
def test_a_stranger_who_names_a_game_sits_down_with_one_answer(body: str, said: str) -> None:
    assert write(body).code == "asked-to-confirm"
    assert said in one_line(sent()[0])
    assert answer(f"confirm {code_in(sent()[0])}").state == "done"
    assert Seat.objects.get(user__email=DORA).match.game == "gem"


@pytest.mark.parametrize("body", ["tutorial gem", "Ich möchte GEM lernen"])
def test_a_stranger_who_wants_to_learn_gets_the_first_step_with_the_account(body: str) -> None:
    assert write(body).code == "asked-to-confirm"
    answer("yes")
    assert any(step in sent()[-1].subject for step in ("step 1", "Schritt 1"))
    assert User.objects.filter(email=DORA).exists()
    assert not Seat.objects.exists()


@pytest.mark.parametrize(
    "body", ["Ich möchte GEM gegen den Computer spielen", "A practice game of GEM against a bot, please!"]
)
def test_a_stranger_who_wants_to_play_against_a_bot_does_so_with_one_answer(body: str) -> None:
    assert write(body).code == "asked-to-confirm"
    answer("yes")
    seat = Seat.objects.get(user__email=DORA)
    assert (seat.match.game, seat.match.is_running) == ("gem", True)
    assert seat.match.seats.exclude(bot="").count() == 1


def test_a_stranger_who_wants_a_bot_but_names_no_game_chooses_one() -> None:
    assert write("Je voudrais jouer contre l'ordinateur").code == "asked-to-confirm"
    (question,) = sent()
    assert "new florentine bots=1" in one_line(question)
    answer(f"confirm {code_in(question)}\nnew florentine bots=1")
    assert Seat.objects.get(user__email=DORA).match.is_running


def test_the_welcome_says_how_to_learn_to_play_a_bot_and_to_find_people() -> None:
    write("join gembatan")
    answer("yes")
    welcome = one_line(sent()[-1])
    for line in ("tutorial gembatan", "new gembatan bots=1", "games"):
        assert f"write: {line}" in welcome
    assert "so you have opened" in welcome
    assert "To play against a bot meanwhile write: new gembatan bots=1" in welcome


@pytest.mark.parametrize(
    ("body", "language"),
    [
        ("Ich möchte GEM lernen", "de"),
        ("Hallo,\n\nich möchte mitspielen.\n\nDora", "de"),
        ("Bonjour, je voudrais jouer à GEM, s'il vous plaît.", "fr"),
        ("I'd like to play GEM", "en"),
        ("join gem", "en"),
    ],
)
def test_a_stranger_is_answered_in_the_language_of_the_wish(body: str, language: str) -> None:
    write(body)
    asks = {"en": "Do you want", "de": "Möchtest du", "fr": "Voulez-vous"}
    assert asks[language] in one_line(sent()[0])
    answer(f"confirm {code_in(sent()[0])}")
    assert User.objects.get(email=DORA).language == language


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ("Guten Tag,\nich habe von euch gehört. Was kann man hier spielen?", "Möchtest du"),
        ("Bonjour, on m'a parlé de vous. Que puis-je jouer ici ?", "Voulez-vous"),
        ("Hello, I heard about you. What can I play here?", "Do you want"),
    ],
)
def test_a_stranger_is_answered_in_the_language_of_the_letter(body: str, asks: str) -> None:
    write(body, dmarc="pass")
    assert asks in one_line(sent()[0])


def test_the_language_of_the_header_counts_more_than_that_of_the_wish() -> None:
    write("Ich möchte mitspielen", Content_Language="fr")
    answer(f"confirm {code_in(sent()[0])}")
    assert User.objects.get().language == "fr"


@pytest.mark.parametrize(
    ("body", "language"), [("Ja, gerne", "de"), ("Oui, volontiers !", "fr"), ("ok", "en")]
)
def test_a_yes_tells_the_language_where_the_wish_has_not(body: str, language: str) -> None:
    write("join gem")
    answer(body)
    assert User.objects.get(email=DORA).language == language


def test_a_stranger_who_asks_for_the_puzzle_gets_it_with_the_account() -> None:
    pose()
    assert write("puzzle").code == "asked-to-confirm"
    assert "You get the puzzle of the day." in one_line(sent()[0])
    answer("yes")
    assert "Puzzle of the day" in sent()[-1].subject


@pytest.mark.parametrize(
    ("body", "write_it"),
    [
        ("can I join?", "write:"),
        ("sign me up", "write:"),
        ("Hallo,\nich möchte mitspielen.\nDora", "schreib:"),
    ],
)
def test_a_stranger_who_names_none_is_offered_three(body: str, write_it: str) -> None:
    made = [table("gem"), table("gembatan")]
    assert write(body).code == "asked-to-confirm"
    (question,) = sent()
    html = str(question.alternatives[0][0])
    for line in (f"join {made[0].code}", f"join {made[1].code}", "join florentine"):
        assert f"{write_it} {line}" in one_line(question)
    link = re.search(rf'body=([^"]*join%20{made[1].code})"', html)
    assert link
    assert link[1] == f"confirm%20{code_in(question)}%0D%0Ajoin%20{made[1].code}"
    row = answer(f"confirm {code_in(question)}\njoin {made[1].code}")
    assert codes(row) == ["done", "done"]
    assert made[1].seats.filter(user__email=DORA).exists()


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        "Confirm {}!",
        "My code is {}.",
        "Yes, confirm {}",
        "Hi,\n\nvoici le code: {}\n\nDora",
        "confirm: {}",
    ],
)
def test_a_code_that_is_typed_confirms(body: str) -> None:
    write("help")
    assert answer(body.format(code_in(sent()[0])), dmarc="none").state == "done"
    assert User.objects.get().email == DORA


@pytest.mark.parametrize(
    ("body", "welcome"),
    [
        ("yes", "Welcome"),
        ("Ok, fine with me.", "Welcome"),
        ("Oui, volontiers !", "Bienvenue"),
        ("Ja, gerne\n\nDora", "Willkommen"),
        ("Yes please, thanks!", "Welcome"),
    ],
)
def test_a_yes_from_the_address_that_was_asked_confirms(body: str, welcome: str) -> None:
    write("join gem")
    row = answer(body)
    assert row.state == "done"
    assert codes(row)[:2] == ["done", "done"]
    assert welcome in one_line(sent()[-1])
    assert Seat.objects.get(user__email=DORA).match.game == "gem"


def test_read_again_after_a_crash_a_yes_makes_one_account() -> None:
    write("join gem")
    row = answer("yes")
    first = row.results
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    row.refresh_from_db()
    assert (User.objects.count(), row.results) == (1, first)


def test_a_yes_of_an_unproved_sender_asks_for_the_code_once_more() -> None:
    write("join gem")
    assert answer("yes", dmarc="none").code == "asked-to-confirm"
    assert answer("oui", dmarc="none").code == "asked-already"
    assert answer("yes!", dmarc="fail").state == "dropped"
    assert not User.objects.exists()
    assert len(sent()) == 2


@pytest.mark.parametrize("body", ["no", "> yes", "-- \nyes"])
def test_what_is_no_yes_makes_no_account(body: str) -> None:
    write("join gem")
    answer(body)
    assert not User.objects.exists()
    assert len(sent()) == 1


@pytest.mark.parametrize("body", ["yes, but later", "Yes?", "Who are you?"])
def test_who_writes_something_else_than_yes_is_asked_once_more_a_day(body: str) -> None:
    write("join gem")
    for _ in range(3):
        answer(body)
    assert not User.objects.exists()
    assert len(sent()) == 2


def test_a_yes_of_somebody_else_or_later_makes_no_account() -> None:
    write("join gem")
    receive(reply(sent()[0], "eve@example.net", "yes"), dmarc="pass")
    Ticket.objects.update(expires_at=clock.now())
    answer("yes")
    assert not User.objects.exists()


NOTES = {
    "en": (
        "Out of office: ",
        "I am out of the office until 3 May.\n\nFor anything urgent call my colleagues.",
    ),
    "fr": (
        "Réponse automatique : ",
        "Je suis absente jusqu'au 3 mai.\n\nEn cas d'urgence, appelez mes collègues.",
    ),
    "de": (
        "Abwesenheitsnotiz: ",
        "Ich bin bis einschließlich 3. Mai im Urlaub.\n\nIn dringenden Fällen: Kollegen.",
    ),
}


def _unmarked(question: EmailMultiAlternatives) -> str:
    return f"{outlook_head(question)}\n{question.body}"


def _marked(question: EmailMultiAlternatives) -> str:
    return "\n".join(f"> {line}" for line in str(question.body).splitlines())


def _one_line_of_ours(question: EmailMultiAlternatives) -> str:
    return f"Your message said: To begin, write:  confirm {code_in(question)}"


def _wrapped(question: EmailMultiAlternatives) -> str:
    return f"To begin,\nwrite:\nconfirm {code_in(question)}\n"


@pytest.mark.slow
@pytest.mark.parametrize("quotes", [_unmarked, _marked, _one_line_of_ours, _wrapped])
@pytest.mark.parametrize("has_subject", [True, False])
@pytest.mark.parametrize("language", NOTES)
def test_a_note_of_absence_that_quotes_our_question_makes_no_account(language, has_subject, quotes) -> None:
    """Machines that say of themselves that they are machines are dropped long before."""
    write("join gem")
    (question,) = sent()
    subject, text = NOTES[language]
    letter = reply(question, DORA, f"{text}\n\n{quotes(question)}", quotes=False)
    letter.replace_header("Subject", f"{subject if has_subject else 'Re: '}{question.subject}")
    assert receive(letter, dmarc="pass").state == "dropped"
    assert not User.objects.exists()
    assert len(sent()) == 1


@pytest.mark.parametrize("quotes", [_unmarked, _marked, _one_line_of_ours])
def test_a_code_in_quoted_text_makes_no_account(quotes) -> None:
    write("join gem")
    (question,) = sent()
    receive(reply(question, DORA, f"Who are you?\n\n{quotes(question)}", quotes=False), dmarc="pass")
    assert not User.objects.exists()


def test_a_code_in_the_subject_makes_no_account() -> None:
    write("join gem")
    assert write("Hello", subject=f"confirm {code_in(sent()[0])}", dmarc="pass").state == "dropped"
    assert not User.objects.exists()


def test_a_proved_stranger_who_writes_in_words_is_answered_once_a_day() -> None:
    assert write("Hello, is anybody there?").code == "stranger"
    assert write("Hello, is anybody there?\n", dmarc="pass").code == "asked-to-confirm"
    assert write("Hello again", dmarc="pass").code == "asked-already"
    assert write("I'm out of the office.", sender="fay@example.net", dmarc="pass").code == "stranger"


def test_unknown_wishes_leave_half_of_the_questions_to_others(settings: Any) -> None:
    settings.SIGN_UP_RATE = 2
    assert write("What is this?", sender="a@example.net", dmarc="pass").code == "asked-to-confirm"
    assert write("What is this?", sender="b@example.net", dmarc="pass").code == "too-many-strangers"
    assert write("join gem", sender="c@example.net").code == "asked-to-confirm"


def invited(address: str, **fields: Any) -> tuple[Match, EmailMultiAlternatives]:
    made = table(access=Match.Access.INVITED, **fields)
    ana = User.objects.get(username="ana")
    invite(made.pk, ana, address, now=clock.now())
    return made, sent(address)[-1]


@pytest.mark.parametrize("body", ["Yes, please!", "oui", "Ja, gern. Danke!", "join {code}"])
def test_a_yes_to_an_invitation_joins_the_table_that_invites(body: str) -> None:
    ben = make_user("ben")
    made, mail = invited(ben.email)
    row = receive(reply(mail, ben.email, body.format(code=made.code)), dmarc="pass")
    assert codes(row) == ["done"]
    assert made.seats.filter(user=ben).exists()
    assert Invitation.objects.get().state == "accepted"


@pytest.mark.parametrize("body", ["Yes, I'd love to", "join {code}"])
def test_a_stranger_who_says_yes_to_an_invitation_gets_account_and_seat(body: str) -> None:
    made, mail = invited(DORA)
    row = receive(reply(mail, DORA, body.format(code=made.code)), dmarc="pass")
    assert codes(row) == ["done", "done"]
    assert made.seats.filter(user__email=DORA).exists()
    assert "Welcome" in one_line(sent()[-1])


def test_an_unproved_yes_to_an_invitation_is_asked_first() -> None:
    made, mail = invited(DORA)
    assert receive(reply(mail, DORA, f"join {made.code}")).code == "asked-to-confirm"
    assert receive(reply(mail, "eve@example.net", "yes"), dmarc="pass").code == "asked-to-confirm"
    assert not User.objects.filter(email__in=[DORA, "eve@example.net"]).exists()


@pytest.mark.parametrize("is_player", [True, False])
def test_a_no_declines_it(is_player: bool) -> None:
    address = make_user("ben").email if is_player else DORA
    made, mail = invited(address)
    row = receive(reply(mail, address, "No thanks, not this time."), dmarc="pass")
    assert (row.state, row.code) == (("done", "") if is_player else ("dropped", "declined"))
    assert Invitation.objects.get().state == "declined"
    assert made.seats.count() == 1


def test_a_player_with_several_possible_tables_is_offered_three() -> None:
    ben = make_user("ben")
    made = [table("gem"), table("gem"), table("gembatan")]
    row = write("I'd like to play, please", sender=ben.email, dmarc="pass")
    assert (row.state, codes(row)) == ("refused", ["which-table"])
    told = sent(ben.email)[-1]
    assert " · ".join(f"join {each.code}" for each in made) in one_line(told)
    assert f"body=join%20{made[2].code}" in str(told.alternatives[0][0])
    row = write("I'd like to play GEM", sender=ben.email, dmarc="pass")
    assert codes(row) == ["which-table"]
    assert not ben.seats.exists()
    row = write("I'd like to play Gembatan!", sender=ben.email, dmarc="pass")
    assert codes(row) == ["done"]
    assert ben.seats.get().match == made[2]


def test_in_a_match_nobody_joins_anything_by_a_wish() -> None:
    """There `I'd like to play …` is about a move."""
    letter = EmailMessage()
    made = table()
    seat = made.seats.select_related("user").get()
    letter["From"], letter["To"] = "ana@example.org", seat.reply_address
    letter["Message-ID"], letter["Subject"] = "<1@example.org>", "Re: my move"
    letter.set_content("I'd like to play Gembatan")
    receive(letter)
    assert Seat.objects.count() == 1
    assert seat.reply_address != LOBBY
