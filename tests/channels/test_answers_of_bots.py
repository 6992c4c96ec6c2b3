"""Channels tell whoever asked that a bot has found something out, but not what."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core import mail

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.study.hints import ask_hint, think_of_all
from gemserver.study.models import Hint
from gemserver.study.reviews import ask_review, go_on
from tests.builders import make_match, make_user, play_to_the_end
from tests.channels.receivers import Receiver
from tests.channels.telling import Kind, deliver, hook, mails_to
from tests.clubs.people import make_club, play_in
from tests.site.pages import read, signed_in
from tests.study.practice import practise

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick(brief_reviews: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "gemserver.study.hints._find_moves", lambda match, seat: [["bid 5", 61.0], ["pass", 40.0]]
    )


@pytest.fixture
def over(ana: User, ben: User) -> Match:
    match = play_to_the_end(make_match("jewellers", players=[ana, ben]))
    deliver()
    mail.outbox.clear()
    return match


def finish() -> None:
    while go_on():
        pass
    deliver()


def read_body(there: Receiver) -> Any:
    (got,) = there.got
    return json.loads(got.body)


@pytest.mark.slow
def test_a_review_is_told_to_a_channel_without_being_asked_for_by_mail(
    over: Match, ana: User, ben: User, there: Receiver
) -> None:
    hook(ana, there)
    ask_review(over, ana, now=clock.now())
    ask_review(over, ben, now=clock.now())
    finish()
    told = read_body(there)
    assert (told["type"], told["data"]["match"]) == ("review", over.code)
    assert told["data"]["title"] == f"A bot has gone through the match: Jewellers {over.code}"
    assert told["data"]["url"].endswith(f"/m/{over.code}/review/")
    assert mail.outbox == []
    ask_review(over, ana, now=clock.now())
    deliver()
    assert len(there.got) == 1


@pytest.mark.slow
def test_who_joins_while_it_is_made_is_told_by_the_way_of_their_choice(
    over: Match, ana: User, ben: User, secure: Receiver
) -> None:
    hook(ben, secure, Kind.DISCORD)
    ask_review(over, ana, now=clock.now())
    page = read(signed_in(ben).get(f"/m/{over.code}/review/"))
    assert "Tell me when it is done" in page.text
    signed_in(ben).post(f"/m/{over.code}/review/", {"mail": "1"})
    assert "You will be told when it is done" in read(signed_in(ben).get(f"/m/{over.code}/review/")).text
    assert "Send it to me by mail" in read(signed_in(ana).get(f"/m/{over.code}/review/")).text
    signed_in(ana).post(f"/m/{over.code}/review/", {"mail": "1"})
    finish()
    (got,) = secure.got
    assert json.loads(got.body)["content"].startswith("A bot has gone through the match: Jewellers")
    assert (len(mails_to(ana)), len(mails_to(ben))) == (1, 0)


@pytest.mark.slow
def test_of_a_private_club_not_even_the_match_is_told(ana: User, ben: User, there: Receiver) -> None:
    match = play_to_the_end(play_in(make_club("Kellerkinder", ana, ben), ana, ben))
    deliver()
    hook(ana, there)
    ask_review(match, ana, now=clock.now())
    finish()
    text = there.got[0].body.decode()
    assert match.code not in text
    assert "Kellerkinder" not in text


def test_a_hint_is_told_to_a_webhook_but_not_what_it_says(ana: User, there: Receiver) -> None:
    hook(ana, there)
    match = practise(ana)
    deliver()
    there.got.clear()
    ask_hint(match, ana, now=clock.now())
    think_of_all()
    deliver()
    told = read_body(there)
    assert told["type"] == "hint"
    assert told["data"]["url"].endswith(f"/m/{match.code}/hint/")
    assert "bid" not in json.dumps(told)
    assert "61" not in json.dumps(told["data"])


def test_a_hint_is_no_news_for_chats_and_a_mail_for_whoever_asked_by_mail(
    ana: User, secure: Receiver
) -> None:
    match = practise(ana)
    hook(ana, secure, Kind.DISCORD)
    deliver()
    secure.got.clear()
    mail.outbox.clear()
    ask_hint(match, ana, now=clock.now())
    think_of_all()
    deliver()
    assert (secure.got, mail.outbox) == ([], [])
    ask_hint(match, ana, is_by_mail=True, now=clock.now())
    deliver()
    assert secure.got == []
    (sent,) = mails_to(ana)
    assert "A bot would play: bid 5" in sent.body


def test_both_are_told_once_and_a_hint_read_by_a_program_may_still_be_mailed(
    ana: User, there: Receiver
) -> None:
    hook(ana, there)
    match = practise(ana)
    deliver()
    there.got.clear()
    ask_hint(match, ana, now=clock.now())
    think_of_all()
    for _ in range(2):
        deliver()
    assert len(there.got) == 1
    ask_hint(match, ana, is_by_mail=True, now=clock.now())
    deliver()
    assert (len(there.got), len(mails_to(ana))) == (1, 1)
    assert Hint.objects.count() == 1


@pytest.mark.slow
def test_a_stranger_who_asked_is_told_too(over: Match, there: Receiver) -> None:
    eve = make_user("eve")
    hook(eve, there)
    ask_review(over, eve, now=clock.now())
    finish()
    assert read_body(there)["data"]["match"] == over.code
