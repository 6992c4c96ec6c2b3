"""`review` by mail: the answer comes as a mail of its own once a bot has gone through the match."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.add_channel import add_hook
from gemserver.matches.actions.people.change_channel import tell_by
from gemserver.matches.models import Match, Seat
from gemserver.notify.models import Channel
from gemserver.operating import retention
from gemserver.study import reviews
from gemserver.study.models import Review
from gemserver.study.reviews import KEPT, ask_review, go_on
from tests.builders import make_match, make_user, play_to_the_end
from tests.mailgate.letters import letter, receive
from tests.mailgate.test_plan_mails import flat, receipt
from tests.mailgate.test_reply_plays import sent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("brief_reviews")]


@pytest.fixture
def seat(players: list[User]) -> Seat:
    now = clock.now()
    match = play_to_the_end(make_match("jewellers", players=players[:2], now=now), now=now)
    return match.seats.select_related("user", "match").get(index=0)


def ask(seat: Seat, words: str = "review") -> str:
    return flat(receipt(receive(seat, letter(seat, words))))


def finish() -> None:
    while go_on():
        pass


@pytest.mark.slow
def test_the_review_comes_by_mail_to_whoever_asked(seat: Seat) -> None:
    assert "its review comes in a mail of its own" in ask(seat)
    assert not sent("review")
    finish()
    (mail,) = sent("review")
    assert mail.to == [seat.user.email] if seat.user else False
    assert f"A bot has gone through {seat.match.code}." in mail.body
    assert f"/m/{seat.match.code}/review/" in mail.body


@pytest.mark.slow
def test_one_that_is_done_comes_at_once_and_once(seat: Seat) -> None:
    other = seat.match.seats.select_related("user", "match").get(index=1)
    ask(seat, f"review {seat.match.code.lower()}")
    finish()
    assert len(sent("review")) == 1
    for _ in range(2):
        assert f"/m/{seat.match.code}/review/" in ask(other)
        assert len(sent("review")) == 2


@pytest.mark.slow
def test_spectators_and_players_get_one_each(seat: Seat) -> None:
    asked = [
        make_user("eve"),
        make_user("fay"),
        *(each.user for each in seat.match.read_seats() if each.user),
    ]
    for user in asked:
        ask_review(seat.match, user, is_by_mail=True, now=clock.now())
    finish()
    assert sorted(mail.to[0] for mail in sent("review")) == sorted(user.email for user in asked)


def test_a_match_that_goes_on_is_refused(players: list[User]) -> None:
    match = make_match(players=players, now=clock.now())
    seat = match.seats.select_related("user", "match").get(index=0)
    assert "is not over yet" in ask(seat)
    assert not Review.objects.exists()


def test_one_that_nobody_knows_is_refused(seat: Seat) -> None:
    assert "There is no such match" in ask(seat, "review M987654")


def test_the_final_mail_says_how_to_ask(seat: Seat) -> None:
    assert Match.objects.get(pk=seat.match_id).is_over
    assert all("reply with the one word: review" in flat(mail.body) for mail in sent("finished"))
    assert sent("finished")


@pytest.mark.slow
def test_one_that_is_made_again_after_its_row_is_gone_is_mailed_again(seat: Seat) -> None:
    for number, words in enumerate(("review", f"review {seat.match.code}"), start=1):
        ask(seat, words)
        finish()
        assert len(sent("review")) == number
        Review.objects.update(asked_at=clock.now() - KEPT - timedelta(days=1))
        retention.forget(clock.now())
        assert not Review.objects.exists()


def test_who_waits_for_one_that_fails_is_told_so(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(seat)
    monkeypatch.setattr(reviews.records, "make_record", lambda match: 1 / 0)
    finish()
    (mail,) = sent("review")
    assert f"A bot could not go through {seat.match.code}." in mail.body
    assert "Ask again tomorrow." in mail.body
    assert "mattered" not in mail.body
    assert "Ask again tomorrow" in ask(seat, f"review {seat.match.code}")


def test_who_has_a_channel_is_not_promised_a_mail(seat: Seat) -> None:
    assert seat.user
    add_hook(seat.user, Channel.Kind.WEBHOOK, "bot", url="https://example.com/hook", now=clock.now())
    tell_by(seat.user, "bot")
    assert "you will be told when its review is done" in ask(seat)
