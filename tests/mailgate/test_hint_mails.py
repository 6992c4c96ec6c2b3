"""`hint` by mail: the answer comes as a mail of its own, to whoever asked, while it is of use."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay, selectors
from gemserver.matches.models import Match, Seat
from gemserver.study.hints import ask_hint, think_of_all
from gemserver.study.models import Hint
from tests.builders import make_match, play
from tests.mailgate.letters import letter, receive
from tests.mailgate.test_plan_mails import flat, receipt
from tests.mailgate.test_reply_plays import sent
from tests.study.practice import practise

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("brief_bots")]


def own_seat(match: Match, user: User) -> Seat:
    return match.seats.select_related("user", "match").get(user=user)


def legal(seat: Seat) -> list[str]:
    return selectors.legal_texts(seat.match, seat, 1000) or []


def ask(seat: Seat) -> str:
    """Ask for a hint by mail; the words of the receipt."""
    return flat(receipt(receive(seat, letter(seat, "hint"))))


def test_the_hint_comes_by_mail(ana: User) -> None:
    seat = own_seat(practise(ana), ana)
    assert "its hint comes in a mail of its own" in ask(seat)
    assert not sent("hint")
    think_of_all()
    (mail,) = sent("hint")
    best, _ = Hint.objects.get().moves[0]
    assert f"A bot would play: {best}" in mail.body
    assert f"To play it, write: {best}" in flat(mail.body)
    assert best in legal(seat)


def test_the_hint_names_moves_in_words_too(ana: User) -> None:
    seat = own_seat(practise(ana, "jewellers"), ana)
    hint = ask_hint(seat.match, ana, is_by_mail=True, now=clock.now())
    Hint.objects.filter(pk=hint.pk).update(done_at=clock.now(), moves=[["pass", 60.0], ["bid 4", 40.0]])
    ask(seat)
    (mail,) = sent("hint")
    assert "A bot would play: pass" in mail.body
    assert "* 40 Add 4 (total 4): bid 4" in flat(mail.body)
    assert "Add 4 (total 4) <code>bid 4</code>" in mail.alternatives[0][0]


def test_a_sealed_order_of_a_hint_is_told_in_words(ana: User) -> None:
    seat = own_seat(practise(ana, "jewellers"), ana)
    while not seat.match.rules.bidders(replay.position(seat.match)):
        play(seat.match, seat.index, legal(seat)[0], now=clock.now())
        seat = own_seat(seat.match, ana)
    Match.objects.filter(pk=seat.match_id).update(options="pace=sealed")
    seat = own_seat(seat.match, ana)
    hint = ask_hint(seat.match, ana, now=clock.now())
    Hint.objects.filter(pk=hint.pk).update(done_at=clock.now(), moves=[["bid 4 else pass", None]])
    ask(seat)
    (mail,) = sent("hint")
    assert "A bot would play: “Add 4, otherwise Pass” (bid 4 else pass)" in flat(mail.body)
    assert "To play it, write: bid 4 else pass" in flat(mail.body)


def test_a_hint_that_was_read_on_the_page_comes_by_mail_at_once(ana: User) -> None:
    seat = own_seat(practise(ana), ana)
    ask_hint(seat.match, ana, now=clock.now())
    think_of_all()
    assert not sent("hint")
    ask(seat)
    assert len(sent("hint")) == 1


def test_nothing_comes_once_the_move_is_played(ana: User) -> None:
    seat = own_seat(practise(ana), ana)
    ask(seat)
    think_of_all()
    play(seat.match, seat.index, legal(seat)[0])
    assert not sent("hint")


def test_there_is_none_in_a_match_with_people(players: list[User]) -> None:
    match = make_match(players=players, now=clock.now())
    seat = match.seats.select_related("user", "match").get(is_waiting=True)
    assert "There are no hints in" in ask(seat)
    think_of_all()
    assert not Hint.objects.exists()
    assert not sent("hint")


def test_whose_turn_it_is_not_is_told_so(ana: User) -> None:
    seat = own_seat(practise(ana), ana)
    play(seat.match, seat.index, legal(seat)[0])
    assert not own_seat(seat.match, ana).is_waiting
    assert "It is not your turn" in ask(seat)
