"""Lessons by mail: one step in each answer, a reply is a try, and no match ever hears of it."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest
from django.core.mail import EmailMultiAlternatives
from django.utils import translation

from games import registry
from games.tutorial import judge
from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib.text.plain import tidy
from gemserver.mailgate import processing
from gemserver.mailgate.answering import answers
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.lines.commands import Command, MoveLine, read_lines
from gemserver.mailgate.replies.lessons import Lesson
from gemserver.mailgate.replies.tries import find_meant
from gemserver.matches.models import Move
from tests.builders import make_match, make_user
from tests.mailgate.posting import account_address, codes, one_line, sent_to, write
from tests.site.lessons import right_move, taught, wrong_tries

pytestmark = pytest.mark.django_db


def reply(user: User, answered: EmailMultiAlternatives, text: str) -> InboundEmail:
    """Answer a mail as a client does: to its reply address, naming it, with its text quoted."""
    letter = EmailMessage()
    letter["From"], letter["To"] = user.email, answered.reply_to[0]
    letter["Subject"] = f"Re: {answered.subject}"
    letter["Message-ID"] = f"<{InboundEmail.objects.count()}@client.example.org>"
    letter["In-Reply-To"] = answered.extra_headers["Message-ID"]
    quoted = "\n".join(f"> {line}" for line in str(answered.body).splitlines())
    letter.set_content(f"{text}\n\nOn Monday, the server wrote:\n{quoted}\n")
    row = ingest(letter.as_bytes(), user.email, str(letter["To"]), "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    return row


@pytest.fixture
def ana() -> User:
    return make_user("ana")


def answer_to(user: User, text: str, **where: str) -> EmailMultiAlternatives:
    write(user, text, **where)
    return sent_to(user)[-1]


@pytest.mark.slow
@pytest.mark.parametrize("slug", registry.GAMES)
def test_a_tutorial_is_played_by_answering_its_mails(slug: str, ana: User) -> None:
    tutorial = taught(slug)
    shown = answer_to(ana, f"tutorial {slug}")
    for number, step in enumerate(tutorial.steps, start=1):
        assert f"step {number} of {len(tutorial.steps)}: {step.title}" in shown.subject
        assert step.text in one_line(shown)
        assert step.task in one_line(shown)
        row = reply(ana, shown, right_move(step))
        assert codes(row) == ["shown"]
        shown = sent_to(ana)[-1]
        assert step.why in one_line(shown)
        assert shown.extra_headers["In-Reply-To"] == f"<{row.message_id}>"
    assert tutorial.farewell in one_line(shown)
    assert f"/practice/{slug}/" in str(shown.body)
    assert len(sent_to(ana)) == len(tutorial.steps) + 1


def test_a_try_is_named_in_words(ana: User) -> None:
    User.objects.update(language="de")
    ana.refresh_from_db()
    shown = answer_to(ana, "tutorial florentine 3")
    with translation.override("de"):
        step = taught("florentine").steps[2]
    text = right_move(step)
    reply(ana, shown, text)
    assert re.search(rf"Richtig: „[^“]+“ \({re.escape(text)}\)\.", one_line(sent_to(ana)[-1]))


@pytest.mark.parametrize("slug", registry.GAMES)
def test_a_wrong_try_is_answered_with_the_rule_and_the_same_step(slug: str, ana: User) -> None:
    tutorial = taught(slug)
    step = tutorial.steps[0]
    shown = answer_to(ana, f"tutorial {slug}")
    text, said = wrong_tries(step)[-1]
    reply(ana, shown, text)
    again = sent_to(ana)[-1]
    assert said.text in one_line(again)
    assert f"§ {said.rule}: {tutorial.quote(said.rule)}" in one_line(again)
    assert again.subject == shown.subject
    reply(ana, again, right_move(step))
    assert "step 2 of" in sent_to(ana)[-1].subject


@pytest.mark.slow
@pytest.mark.parametrize("slug", registry.GAMES)
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_no_line_of_a_lesson_is_a_command_or_a_move(slug: str, language: str) -> None:
    """A client may send our mail back without any mark of quoting (mail-requirements.md Q3)."""
    with translation.override(language):
        tutorial = taught(slug)
        for step in [*tutorial.steps, None]:
            said = [end for each in (tutorial.steps if step is None else [step]) for end in each.sentences]
            text = tidy("\n\n".join([Lesson(tutorial, step).write_text(), tutorial.welcome, *said]))
            for read in read_lines(text):
                assert not isinstance(read, Command), read
                if isinstance(read, MoveLine) and step is not None:
                    verdict = judge(step, read.text)
                    assert verdict.refusal is not None, read


def test_greetings_around_a_try_do_not_matter(ana: User) -> None:
    shown = answer_to(ana, "tutorial gem")
    reply(ana, shown, "Hello there,\n\nbid 1\n\nBest wishes\nAna")
    assert "step 2 of" in sent_to(ana)[-1].subject


@pytest.mark.parametrize(
    ("language", "words"), [("en", "I'd like to bid 1, please."), ("fr", "Je mise 1"), ("de", "Ich biete 1")]
)
def test_a_try_may_be_written_as_people_speak(language: str, words: str) -> None:
    user = make_user("eva", language=language)
    reply(user, answer_to(user, "tutorial gem"), words)
    assert "2" in sent_to(user)[-1].subject


@pytest.mark.parametrize(
    ("language", "step", "words"),
    [
        ("en", "open", "I open with a bid of 1"),
        ("en", "take", "I take the sapphires and pay with the 1"),
        ("en", "take", "I take the card with two sapphires and pay with the coin of 1"),
        ("en", "invest", "I activate the two sapphires"),
        ("en", "pay", "I take the topazes and pay with 1, 2 and 3"),
        ("en", "score", "I take the card with topaz and ruby and pay with the coin of 1"),
        ("fr", "open", "J'ouvre avec une mise de 1"),
        ("fr", "take", "Je prends les saphirs et je paie avec le 1"),
        ("fr", "invest", "J'active les deux saphirs"),
        ("fr", "pay", "Je prends les topazes et je paie avec 1, 2 et 3"),
        ("fr", "score", "Je prends la carte avec topaze et rubis et je paie avec la pièce de 1"),
        ("de", "open", "Ich eröffne mit einem Gebot von 1"),
        ("de", "take", "Ich nehme die Saphire und zahle mit der 1"),
        ("de", "invest", "Ich aktiviere die beiden Saphire"),
        ("de", "pay", "Ich nehme die beiden Topase und zahle mit 1, 2 und 3"),
        ("de", "score", "Ich nehme die Karte mit Topas und Rubin und zahle mit der 1"),
    ],
)
def test_a_task_of_gem_may_be_answered_in_its_own_words(language: str, step: str, words: str) -> None:
    with translation.override(language):
        asked = taught("gem").find(step)
        assert asked is not None
        tries = [line for line in read_lines(words) if isinstance(line, MoveLine)]
        meant = find_meant(asked.game, asked.reached.state, asked.seat, asked.names, tries)
        assert judge(asked, meant).is_right, meant


def test_what_may_be_meant_is_offered_and_not_tried(ana: User) -> None:
    row = reply(ana, answer_to(ana, "tutorial gem"), "What a day!\nThree it is, one for each amethyst.")
    assert row.results[0]["candidates"] == ["tutorial gem 1 bid 3"]
    again = sent_to(ana)[-1]
    assert "Did you mean: bid 3" in one_line(again)
    assert "step 1 of 6" in again.subject
    assert "bid%203" in str(again.alternatives[0][0])
    assert codes(write(ana, row.results[0]["candidates"][0])) == ["shown"]


def test_a_step_has_its_board_as_picture_and_in_words(ana: User) -> None:
    shown = answer_to(ana, "tutorial gem")
    html = next(str(content) for content, kind in shown.alternatives if kind == "text/html")
    assert 'src="cid:board"' in html
    assert "GEM, day 1 of 6" in str(shown.body)
    assert "GEM, day 1 of 6" in html


@pytest.mark.slow
def test_what_is_no_move_is_answered_with_the_same_step_within_the_limits(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines that answer each other fall silent as they do anywhere else (mail-requirements.md L8)."""
    monkeypatch.setattr(answers, "TRIES_PER_HOUR", 7)
    shown = answer_to(ana, "tutorial gem")
    for number in range(10):
        assert codes(reply(ana, shown, f"What a lovely day, number {number}")) == ["no-try"]
        shown = sent_to(ana)[-1]
        assert "step 1 of 6" in shown.subject
    assert len(sent_to(ana)) == 8
    assert "are not answered again before" in one_line(shown)
    reply(ana, shown, "bid 1")
    assert "step 2 of 6" in sent_to(ana)[-1].subject


def test_only_the_verdict_is_bold_and_not_the_rule_behind_it(ana: User) -> None:
    step = taught("gem").steps[0]
    text, said = wrong_tries(step)[-1]
    row = reply(ana, answer_to(ana, "tutorial gem"), text)
    move = row.results[0]["message"][1]["move"]
    shown = sent_to(ana)[-1]
    html = str(shown.alternatives[0][0])
    assert f"<b>Not yet: {move}.</b>" in html
    assert f"§\u00a0{said.rule}" in html
    assert f"§\u00a0{said.rule}" in str(shown.body)


def test_many_tries_leave_all_answers_to_other_mail(ana: User) -> None:
    """mail-requirements.md L8."""
    shown = answer_to(ana, "tutorial gem")
    for number in range(6):
        reply(ana, shown, f"What a lovely day, number {number}")
    assert "are not answered again before" not in one_line(sent_to(ana)[-1])
    for number in range(4):
        assert "Not read" in one_line(answer_to(ana, f"What is this number {number}?"))
    assert "are not answered again before" not in one_line(sent_to(ana)[-1])


def test_who_wants_few_receipts_is_answered_in_a_lesson(ana: User) -> None:
    """mail-requirements.md L11."""
    User.objects.filter(pk=ana.pk).update(receipts=User.Receipts.NONE)
    reply(ana, answer_to(ana, "tutorial gem"), "What a lovely day")
    assert "Not understood" in one_line(sent_to(ana)[-1])


def test_an_absence_is_no_try(ana: User) -> None:
    shown = answer_to(ana, "tutorial gem")
    letter = EmailMessage()
    letter["From"], letter["To"] = ana.email, shown.reply_to[0]
    letter["Subject"], letter["Message-ID"] = "Automatic reply: GEM", "<7@client.example.org>"
    letter["In-Reply-To"] = shown.extra_headers["Message-ID"]
    letter.set_content("I am out of office until Monday.\n")
    ingest(letter.as_bytes(), ana.email, str(letter["To"]), "smtp", {})
    processing.process_stored()
    assert len(sent_to(ana)) == 1


def test_a_try_is_never_a_move_of_a_match(ana: User) -> None:
    match = make_match(players=[ana, make_user("ben")])
    shown = answer_to(ana, "tutorial gem")
    reply(ana, shown, "bid 1")
    assert "Right" in one_line(sent_to(ana)[-1])
    assert not Move.objects.filter(match=match).exists()


def test_a_reply_that_names_a_match_is_for_the_match(ana: User) -> None:
    match = make_match(players=[ana, make_user("ben")])
    seat = next(seat for seat in match.read_seats() if seat.is_waiting)
    assert seat.user is not None
    shown = answer_to(seat.user, "tutorial gem")
    reply(seat.user, shown, f"{match.code}: bid 1")
    assert Move.objects.filter(match=match).count() == 1


def test_at_the_address_of_a_match_there_are_no_lessons(ana: User) -> None:
    match = make_match(players=[ana, make_user("ben")])
    seat = match.seats.get(user=ana)
    row = write(ana, "tutorial gem", to=seat.reply_address)
    assert codes(row) == ["tutorial-elsewhere"]
    assert "tutorial gem" in one_line(sent_to(ana)[-1])
    assert not Move.objects.exists()


@pytest.mark.parametrize("words", ["stop", "Stop.", "tutorial stop"])
def test_stop_ends_the_lesson_and_nothing_else(ana: User, words: str) -> None:
    shown = answer_to(ana, "tutorial gem")
    mode = ana.mail_mode
    reply(ana, shown, words)
    ana.refresh_from_db()
    assert ana.mail_mode == mode
    assert "The tutorial is over." in one_line(sent_to(ana)[-1])
    assert "step" not in sent_to(ana)[-1].subject


def test_unsubscribe_still_ends_all_mail(ana: User) -> None:
    reply(ana, answer_to(ana, "tutorial gem"), "unsubscribe")
    ana.refresh_from_db()
    assert ana.mail_mode == User.MailMode.OFF


def test_a_step_can_be_asked_for_and_tried_in_one_line(ana: User) -> None:
    assert "step 3 of 6" in answer_to(ana, "tutorial gem 3").subject
    assert "step 4 of 6" in answer_to(ana, "tutorial gem 3 bid 2").subject


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("tutorial", "which-game"),
        ("tutorial chess", "which-game"),
        ("tutorial gem 9", "no-such-step"),
        ("tutorial gem, or not", "usage"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_the_way_out(ana: User, line: str, code: str) -> None:
    row = write(ana, line)
    assert codes(row)[0] == code
    said = one_line(sent_to(ana)[-1])
    assert any(f"tutorial {name}" in said for name in ("gem 1", "florentine", "GAME"))


def test_a_lesson_is_in_the_language_of_its_reader() -> None:
    eva = make_user("eva", language="de")
    shown = answer_to(eva, "tutorial gem")
    assert "Eröffne mit einem Gebot von 1." in one_line(shown)
    reply(eva, shown, "pass")
    assert "Der Oya darf nicht passen." in one_line(sent_to(eva)[-1])


def test_another_player_cannot_answer_somebodys_lesson(ana: User) -> None:
    shown = answer_to(ana, "tutorial gem")
    ben = make_user("ben")
    letter = EmailMessage()
    letter["From"], letter["To"] = ben.email, account_address(ben)
    letter["Subject"], letter["Message-ID"] = "Re: x", "<9@client.example.org>"
    letter["In-Reply-To"] = shown.extra_headers["Message-ID"]
    letter.set_content("bid 1\n")
    row = ingest(letter.as_bytes(), ben.email, str(letter["To"]), "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert codes(row) == ["no-command"]


def test_a_stranger_is_taught_only_after_signing_up() -> None:
    letter = EmailMessage()
    letter["From"], letter["To"] = "stranger@example.net", "play@gem.localhost"
    letter["Subject"], letter["Message-ID"] = "Hello", "<1@client.example.net>"
    letter.set_content("tutorial gem\n")
    row = ingest(letter.as_bytes(), "stranger@example.net", "play@gem.localhost", "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert row.user is None
    assert row.results == []


def test_help_tells_of_it(ana: User) -> None:
    assert "tutorial GAME: learn a game" in one_line(answer_to(ana, "help"))
