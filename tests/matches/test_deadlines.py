"""A fixed time per move: when it is over, the default move is played once, however many sweeps there are."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import replay, sweeps
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.models import Match, Move
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def match() -> Match:
    players = [make_user("ana"), make_user("ben")]
    return make_match(players=players, time_control=TimeControl.per_move(DAY))


def test_before_the_deadline_nothing_is_played(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep(monkeypatch, NOON + DAY - timedelta(seconds=1))
    assert match.moves.count() == 0


def test_at_the_deadline_the_default_move_is_played_and_the_player_told(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = asked(match)
    default = match.rules.write(match.rules.default_move(replay.position(match), seat.index))
    sweep(monkeypatch, NOON + DAY)
    move = match.moves.get(ply=1)
    assert (move.text, move.source, move.seat) == (default, Move.Source.CLOCK, seat.index)
    seat.refresh_from_db()
    assert seat.misses == 1
    told = OutboxMessage.objects.get(kind="timeout")
    assert (told.user, told.data["text"]) == (seat.user, default)


def test_two_overlapping_sweeps_play_one_default_move(match: Match) -> None:
    seat = asked(match)
    assert expire_seat(seat.pk, now=NOON + DAY) is not None
    assert expire_seat(seat.pk, now=NOON + DAY) is None
    assert match.moves.count() == 1


def test_an_answer_just_before_the_sweep_is_kept(match: Match) -> None:
    seat = asked(match)
    play(match, seat.index, "bid 1", now=NOON + DAY - timedelta(seconds=1))
    assert expire_seat(seat.pk, now=NOON + DAY) is None
    assert match.moves.get().text == "bid 1"


def test_the_next_player_has_the_full_time_after_a_missed_turn(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, NOON + DAY)
    assert asked(match).due_at == NOON + 2 * DAY


@pytest.mark.slow
def test_a_match_nobody_answers_runs_to_its_end(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    now = NOON
    while Match.objects.get(pk=match.pk).is_running:
        now += DAY
        sweep(monkeypatch, now)
        assert now < NOON + 200 * DAY
    assert set(match.moves.values_list("source", flat=True)) <= {Move.Source.CLOCK, Move.Source.FORCED}


def test_one_broken_match_does_not_hold_up_the_others(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = make_match(players=[make_user("cy"), make_user("dee")], time_control=TimeControl.per_move(DAY))
    Match.objects.filter(pk=broken.pk).update(position="{}")
    sweep(monkeypatch, NOON + DAY)
    assert match.moves.count() == 1
    assert asked(broken).due_at == NOON + DAY


def test_bots_play_when_the_sweep_finds_that_their_nudge_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_match(players=[make_user("eva")], bots=1)
    person = match.seats.get(bot="")
    if asked(match) == person:
        play(match, person.index, "bid 0", now=NOON)
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(seconds=1))
    before = match.moves.count()
    sweeps.play_bots()
    assert match.moves.count() == before, "its worker still has time"
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(minutes=1))
    sweeps.play_bots()
    assert match.moves.filter(source=Move.Source.BOT).count() == 1
