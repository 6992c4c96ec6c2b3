"""Hard bots take seconds for a move: they move by a task of their own, and strangers do not call on them."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

import gemserver.celery
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay, sweeps
from gemserver.matches.actions.tables.start_practice import start_practice
from gemserver.matches.models import Match, Seat
from tests.builders import asked, play
from tests.site.pages import read, signed_in


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[str]:
    """The tasks that were sent."""
    tasks: list[str] = []
    settings.NUDGES = True
    app = SimpleNamespace(send_task=lambda task, args, **options: tasks.append(task))
    monkeypatch.setattr(gemserver.celery, "app", app)
    return tasks


def practise(user: User, bot: Seat.Bot) -> Match:
    """A practice match in which a bot of this level is to move."""
    match = start_practice(user, "gem", bot, now=clock.now())
    for _ in range(40):
        if match.seats.filter(is_waiting=True).exclude(bot="").exists():
            return match
        _answer(match)
    raise AssertionError("no bot was asked")


def _answer(match: Match) -> None:
    seat = asked(match)
    play(match, seat.index, match.rules.write(match.rules.default_move(replay.position(match), seat.index)))


@pytest.mark.django_db
@pytest.mark.usefixtures("guessing_bots")
def test_only_the_thinkers_task_moves_a_hard_bot(ana: User) -> None:
    match = practise(ana, Seat.Bot.HARD)
    before = match.moves.count()
    sweeps.play_bots(match.pk)
    assert match.moves.count() == before
    sweeps.play_hard_bots(match.pk)
    assert match.moves.count() > before


@pytest.mark.django_db
@pytest.mark.usefixtures("guessing_bots")
def test_the_thinkers_task_moves_nobody_else(ana: User) -> None:
    match = practise(ana, Seat.Bot.NORMAL)
    before = match.moves.count()
    sweeps.play_hard_bots(match.pk)
    assert match.moves.count() == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("bot", "task"), [(Seat.Bot.HARD, "play_hard_bots"), (Seat.Bot.EASY, "play_bots")])
def test_who_is_to_move_wakes_the_right_process(ana: User, sent: list[str], bot: Seat.Bot, task: str) -> None:
    practise(ana, bot)
    give_up = time.monotonic() + 20
    while not any("bots" in name for name in sent) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert {name.rpartition(".")[2] for name in sent if "bots" in name} == {task}


@pytest.mark.django_db
def test_a_stranger_practises_with_easy_and_normal_bots_only(client: Client) -> None:
    page = read(client.post("/practice/gem/", {"bot": "hard"}, follow=True))
    assert "Hard bots play only with people who have an account" in page.text
    assert not Match.objects.exists()
    assert 'value="hard"' not in client.get("/practice/gem/").content.decode()


@pytest.mark.django_db
def test_a_player_practises_with_a_hard_bot(ana: User) -> None:
    assert 'value="hard"' in signed_in(ana).get("/practice/gem/").content.decode()
    signed_in(ana).post("/practice/gem/", {"bot": "hard"})
    assert Match.objects.get().seats.get(user=None).bot == Seat.Bot.HARD
