"""The puzzle of the day by mail: asked for, answered by a reply, and ended with one click."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils.formats import date_format

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.notify.content import announce
from gemserver.notify.models import Channel, OutboxMessage
from gemserver.puzzles.models import Answer, StoredPuzzle, Subscription
from gemserver.puzzles.subscribing import send_due, subscribe
from tests.builders import make_match, make_user
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.mailgate.test_tutorial_mails import reply
from tests.puzzles.puzzles import pose, right_move, wrong_move

pytestmark = pytest.mark.django_db


@pytest.fixture
def stored() -> StoredPuzzle:
    return pose()


def send(user: User) -> EmailMultiAlternatives:
    """The mail with the day's puzzle, as the task sends it when it is due."""
    subscription = subscribe(user, now=clock.now())
    Subscription.objects.filter(pk=subscription.pk).update(next_at=clock.now())
    send_due(clock.now())
    return sent_to(user)[-1]


def test_the_mail_has_the_board_the_question_and_no_answer(ana: User, stored: StoredPuzzle) -> None:
    mail = send(ana)
    assert mail.subject.startswith("[Puzzle of the day] GEM, ")
    assert "One move is clearly better than all others" in one_line(mail)
    assert stored.get_absolute_url() in str(mail.body)
    assert "cid:board" in str(mail.alternatives[0][0])
    assert mail.extra_headers["List-Unsubscribe"].startswith(f"<http://localhost:8000/u/{ana.token}/puzzle/>")
    assert "Ref:" not in str(mail.body)


def test_it_is_sent_once_a_day_in_the_morning_of_the_reader(ana: User) -> None:
    ana.time_zone = "Asia/Tokyo"
    ana.save()
    pose(now=clock.now().astimezone(ana.zone))  # whose day may be tomorrow's
    subscription = subscribe(ana, now=clock.now())
    assert subscription.next_at.astimezone(ana.zone).hour == 8
    send(ana)
    send_due(clock.now())
    assert len(sent_to(ana)) == 1
    Subscription.objects.update(next_at=clock.now())
    send_due(clock.now())
    assert len(sent_to(ana)) == 1, "the same puzzle is never sent twice"


def test_who_has_not_asked_for_it_gets_none(ana: User, stored: StoredPuzzle) -> None:
    send_due(clock.now() + timedelta(days=2))
    assert sent_to(ana) == []


@pytest.mark.parametrize("is_right", [True, False])
def test_a_reply_is_the_answer(is_right: bool, ana: User, stored: StoredPuzzle) -> None:
    mail = send(ana)
    row = reply(ana, mail, right_move(stored) if is_right else wrong_move(stored))
    assert codes(row) == ["shown"]
    assert Answer.objects.get(user=ana).is_right is is_right
    said = one_line(sent_to(ana)[-1])
    assert (f"Right: {right_move(stored)}." in said) is is_right
    assert (f"Better: {right_move(stored)}." in said) is not is_right
    assert "A bot expects" in said
    assert ("Your streak: 1 puzzle found." in said) is is_right


def test_the_solution_names_moves_in_words_too(ana: User) -> None:
    stored = pose("florentine", which=1)
    assert (right_move(stored), wrong_move(stored)) == ("black a2 W", "black a4 W")
    reply(ana, send(ana), wrong_move(stored))
    said = one_line(sent_to(ana)[-1])
    best, tried = "“Black card at a2, edge west” (black a2 W)", "“Black card at a4, edge west” (black a4 W)"
    assert f"Not the best: {tried}. Better: {best}." in said
    assert f"of 100 from {best}" in said
    assert f"From {tried} it expects" in said
    assert "Black card at a7, edge west: black a7 W" in said


def test_a_greeting_beside_the_move_does_no_harm(ana: User, stored: StoredPuzzle) -> None:
    reply(ana, send(ana), f"Good morning!\n{right_move(stored)}\n\nAna")
    assert Answer.objects.get(user=ana).is_right


def test_what_is_no_move_is_asked_again_and_no_answer(ana: User, stored: StoredPuzzle) -> None:
    row = reply(ana, send(ana), "take the big blue one over there")
    assert codes(row) == ["no-puzzle-move"]
    again = sent_to(ana)[-1]
    assert "One move is clearly better than all others" in one_line(again)
    assert not Answer.objects.exists()
    reply(ana, again, right_move(stored))
    assert Answer.objects.get(user=ana).is_right


def test_why_it_is_no_move_is_said_in_the_language_of_its_reader(ana: User, stored: StoredPuzzle) -> None:
    User.objects.filter(pk=ana.pk).update(language="de")
    ana.refresh_from_db()
    reply(ana, send(ana), "take the big blue one over there")
    said = one_line(sent_to(ana)[-1])
    assert "Kein Zug: „take the big blue one over there“. „the“ ist keine Karte" in said


def test_only_the_first_reply_counts(ana: User, stored: StoredPuzzle) -> None:
    mail = send(ana)
    reply(ana, mail, wrong_move(stored))
    row = reply(ana, mail, right_move(stored))
    assert codes(row) == ["already-answered"]
    assert not Answer.objects.get(user=ana).is_right
    assert "The solution" in sent_to(ana)[-1].subject


def test_the_way_out_is_told_to_who_gets_it_each_morning(ana: User, stored: StoredPuzzle) -> None:
    write(ana, "puzzle")
    asked = sent_to(ana)[-1]
    assert f"The puzzle of {date_format(stored.day, 'j M Y')}: " in one_line(asked)
    reply(ana, asked, wrong_move(stored))
    assert "puzzle off" not in f"{sent_to(ana)[-1].body} {sent_to(ana)[-1].alternatives[0][0]}"
    write(ana, "puzzle on")
    write(ana, "puzzle")
    assert "To get no more puzzles, write: puzzle off" in one_line(sent_to(ana)[-1])


def test_more_replies_use_up_no_answers_to_other_mail(ana: User, stored: StoredPuzzle) -> None:
    mail = send(ana)
    reply(ana, mail, wrong_move(stored))
    reply(ana, mail, right_move(stored))
    for number in range(5):
        reply(ana, mail, f"What a day, number {number}")
    write(ana, "What is this?")
    assert "are not answered again before" not in one_line(sent_to(ana)[-1])
    assert "Not read" in one_line(sent_to(ana)[-1])


def test_a_reply_to_a_puzzle_moves_in_no_match(ana: User, stored: StoredPuzzle) -> None:
    match = make_match("gem", players=[ana, make_user("ben")], now=clock.now())
    reply(ana, send(ana), right_move(stored))
    match.refresh_from_db()
    assert match.ply == 0


def test_it_is_begun_shown_and_ended_by_mail(ana: User, stored: StoredPuzzle) -> None:
    write(ana, "puzzle on")
    assert "You get the puzzle of the day at 08:00 UTC" in one_line(sent_to(ana)[-1])
    assert Subscription.objects.filter(user=ana).exists()
    row = write(ana, "puzzle")
    shown = sent_to(ana)[-1]
    assert codes(row) == ["shown"]
    assert "One move is clearly better than all others" in one_line(shown)
    reply(ana, shown, right_move(stored))
    assert Answer.objects.get(user=ana).is_right
    write(ana, "puzzle off")
    assert not Subscription.objects.filter(user=ana).exists()
    assert "no more puzzles" in one_line(sent_to(ana)[-1])


def test_at_the_address_of_a_match_no_puzzle_is_shown(ana: User, stored: StoredPuzzle) -> None:
    match = make_match("gem", players=[ana, make_user("ben")], now=clock.now())
    row = write(ana, "puzzle", to=match.seats.get(user=ana).reply_address)
    assert codes(row) == ["puzzle-elsewhere"]


def test_one_click_ends_it(ana: User, stored: StoredPuzzle) -> None:
    mail = send(ana)
    address = mail.extra_headers["List-Unsubscribe"].partition(">")[0].removeprefix("<http://localhost:8000")
    assert Client().get(address).status_code == 200
    assert Subscription.objects.filter(user=ana).exists()
    Client().post(address, {"List-Unsubscribe": "One-Click"})
    assert not Subscription.objects.filter(user=ana).exists()
    subscribe(ana, now=clock.now())
    write(ana, "unsubscribe puzzle")
    assert not Subscription.objects.filter(user=ana).exists()


def test_who_wants_no_mail_at_all_gets_no_puzzle(ana: User, stored: StoredPuzzle) -> None:
    subscribe(ana, now=clock.now())
    set_mail_mode(ana, User.MailMode.OFF, now=clock.now())
    Subscription.objects.update(next_at=clock.now())
    send_due(clock.now())
    assert sent_to(ana) == []
    ana.refresh_from_db()
    Subscription.objects.all().delete()
    row = write(ana, "puzzle on")
    assert codes(row) == ["no-mail-at-all"]


def test_who_has_answered_on_the_web_is_not_asked_by_mail(ana: User, stored: StoredPuzzle) -> None:
    Answer.objects.create(puzzle=stored, user=ana, move=right_move(stored), is_right=True, at=clock.now())
    subscribe(ana, now=clock.now())
    Subscription.objects.update(next_at=clock.now())
    send_due(clock.now())
    assert sent_to(ana) == []


def test_a_channel_is_told_the_game_and_no_move(ana: User, stored: StoredPuzzle) -> None:
    Channel.objects.create(
        user=ana, kind=Channel.Kind.NTFY, name="phone", address="x", is_chosen=True, created_at=clock.now()
    )
    subscribe(ana, now=clock.now())
    Subscription.objects.update(next_at=clock.now())
    send_due(clock.now())
    words = announce(OutboxMessage.objects.get(kind="puzzle"))
    assert words
    assert words.path == stored.get_absolute_url()
    assert "GEM" in words.title
    assert right_move(stored) not in f"{words.title} {words.text}"


def test_a_touch_on_a_move_of_the_mail_answers_the_puzzle(ana: User, stored: StoredPuzzle) -> None:
    """Regression: the ready reply, a new mail, had the move alone, which belongs to no match."""
    html = str(send(ana).alternatives[0][0])
    body = parse_qs(urlsplit(unescape(re.findall(r'href="(mailto:[^"]+)"', html)[0])).query)["body"][0]
    assert codes(write(ana, body)) == ["shown"]
    assert Answer.objects.get(user=ana).move == body.split(maxsplit=2)[2]


def test_what_is_no_move_is_quoted_with_its_own_marks(ana: User, stored: StoredPuzzle) -> None:
    reply(ana, send(ana), "what should I do?")
    answer = sent_to(ana)[-1]
    assert "Not a move: “what should I do?”. “what” is not understood here." in one_line(answer)
    assert "<b>Not a move: “what should I do?”.</b>" in str(answer.alternatives[0][0])


def test_a_move_that_may_be_meant_is_offered_and_no_answer(ana: User, stored: StoredPuzzle) -> None:
    row = reply(ana, send(ana), "What a board!\nThree it is, one for each amethyst.")
    assert row.results[0]["candidates"] == [f"puzzle {stored.day} bid 3"]
    assert "Did you mean: bid 3" in one_line(sent_to(ana)[-1])
    assert not Answer.objects.exists()
    write(ana, row.results[0]["candidates"][0])
    assert Answer.objects.get(user=ana).move == "bid 3"
