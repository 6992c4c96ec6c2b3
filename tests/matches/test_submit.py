"""`submit`: accepted moves, refused ones, and requests that are repeated."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

import gemserver.celery
from games import plies
from gemserver.matches import codec, replay
from gemserver.matches.actions.play.preview import preview
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play_to_the_end, play_until

LATER = NOON + timedelta(hours=1)


@pytest.fixture
def match(db: None) -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])


def request(seat: Seat, text: str, *, request_id: str = "one", prompt_ply: int | None = None) -> Request:
    assert seat.user is not None
    return Request(seat.match.code, Actor.player(seat.user), text, Move.Source.WEB, request_id, prompt_ply)


def refusal(seat: Seat, text: str, **more: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        submit(request(seat, text, **more), now=LATER)
    return caught.value


def test_a_move_is_logged_in_canonical_notation_and_the_next_seat_is_asked(match: Match) -> None:
    seat = asked(match)
    accepted = submit(request(seat, "  BID  1. "), now=LATER)
    assert [move.text for move in accepted.moves] == ["bid 1"]
    following = asked(match)
    assert following.index == (seat.index + 1) % 3
    assert following.prompt_ply == 2
    assert following.due_at == LATER + timedelta(days=3)
    turn = OutboxMessage.objects.get(dedup_key=f"turn:{match.pk}:{following.index}:2")
    assert turn.to == following.user.email


def test_the_same_request_twice_plays_once_and_gives_the_same_answer(match: Match) -> None:
    seat = asked(match)
    first = submit(request(seat, "bid 1"), now=LATER)
    again = submit(request(seat, "bid 1"), now=LATER)
    assert again.is_repeat
    assert not first.is_repeat
    assert [move.pk for move in again.moves] == [move.pk for move in first.moves]
    assert match.moves.count() == 1


def test_a_stale_answer_is_told_without_a_turn_that_never_was(match: Match) -> None:
    seat = asked(match)
    never = match.seats.get(index=(seat.index + 1) % 3)
    for whose, prompt_ply in ((never, 1), (seat, 0)):
        refused = refusal(whose, "bid 1", prompt_ply=prompt_ply)
        assert refused.code == "stale"
        assert "turn 0" not in refused.text()


def test_an_answer_to_an_older_prompt_is_stale(match: Match) -> None:
    refused = refusal(asked(match), "bid 1", prompt_ply=7)
    assert refused.code == "stale"
    assert match.moves.count() == 0


def test_another_seats_move_is_refused_and_so_is_a_strangers(match: Match) -> None:
    waiting = Seat.objects.filter(match=match, is_waiting=False).select_related("user").first()
    assert waiting is not None
    assert refusal(waiting, "pass").code == "not-your-turn"
    stranger = Request(match.code, Actor.player(make_user("dee")), "pass", Move.Source.WEB, "x")
    with pytest.raises(Refused, match="not-seated"):
        submit(stranger, now=LATER)


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [("bid 7", "illegal", "too-high"), ("frobnicate", "invalid", "unknown-word"), ("", "invalid", "empty")],
)
def test_what_the_rules_refuse_keeps_the_games_code_and_says_what_to_do(
    match: Match, text: str, kind: str, code: str
) -> None:
    refused = refusal(asked(match), text)
    assert (refused.kind, refused.code) == (kind, code)
    assert len(refused.text()) > 20
    assert "{" not in refused.text()


def test_a_refusal_leaves_nothing_behind(match: Match) -> None:
    before = Match.objects.values().get(pk=match.pk), OutboxMessage.objects.count()
    refusal(asked(match), "bid 7")
    assert (Match.objects.values().get(pk=match.pk), OutboxMessage.objects.count()) == before


def test_forced_moves_are_played_by_the_server_and_marked_so(match: Match) -> None:
    match = play_until(match, lambda m: m.moves.filter(source=Move.Source.FORCED).exists())
    forced = match.moves.filter(source=Move.Source.FORCED).first()
    assert forced is not None
    assert forced.actor is None
    assert forced.ply <= match.ply


def test_a_repeated_request_gives_its_forced_moves_too(match: Match) -> None:
    results: list[Accepted] = []
    while not any(len(result.moves) > 1 for result in results):
        seat = asked(match)
        text = match.rules.write(next(match.rules.legal_moves(replay.position(_again(match)), seat.index)))
        results.append(submit(request(seat, text, request_id=f"n{len(results)}"), now=LATER))
    last = results[-1]
    number = len(results) - 1
    again = submit(request(seat, "x", request_id=f"n{number}"), now=LATER)
    assert [move.pk for move in again.moves] == [move.pk for move in last.moves]


def _again(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


@pytest.mark.slow
def test_a_whole_match_ends_with_scores_ranks_and_a_result_mail_for_everybody(match: Match) -> None:
    match = play_to_the_end(match)
    outcome = match.rules.outcome(replay.position(match))
    assert outcome is not None
    seats = list(match.seats.all())
    assert [seat.score for seat in seats] == list(outcome.scores)
    assert [seat.rank for seat in seats] == list(outcome.ranks)
    assert not any(seat.is_waiting or seat.due_at for seat in seats)
    assert OutboxMessage.objects.filter(kind="finished").count() == 3
    assert refusal(seats[0], "pass").code == "over"


@pytest.mark.slow
def test_every_cached_position_and_event_can_be_rebuilt_from_the_truth(match: Match) -> None:
    match = play_to_the_end(match)
    rebuilt = [step for _, step in replay.steps(match)]
    assert [codec.dump_events(step.events) for step in rebuilt[1:]] == [
        move.events for move in match.moves.order_by("ply")
    ]
    assert codec.dump(rebuilt[-1].state) == match.position


def test_a_preview_shows_the_position_and_plays_nothing(match: Match) -> None:
    seat = asked(match)
    state = preview(match, Actor.player(seat.user), "bid 1", now=NOON)
    assert match.rules.waiting_on(state) == {(seat.index + 1) % 3}
    assert match.moves.count() == 0
    with pytest.raises(Refused, match="too-high"):
        preview(match, Actor.player(seat.user), "bid 7", now=NOON)


@pytest.mark.slow
def test_a_preview_of_the_last_move_of_a_day_does_not_tell_the_next_pile(db: None) -> None:
    """Whatever the later piles hold, the previewed position is drawn anew each time."""
    match = make_match(players=[make_user("dee"), make_user("eva")], server_part="1" * 64)
    match = play_until(match, lambda m: _ends_the_day(m) is not None)
    seat, text = _ends_the_day(match) or (0, "")
    actor = Actor.player(Seat.objects.get(match=match, index=seat).user)
    shown = {tuple(match.rules.view(preview(match, actor, text, now=NOON), seat).open) for _ in range(40)}
    assert len(shown) > 5


def _ends_the_day(match: Match) -> tuple[int, str] | None:
    state = replay.position(match)
    seat = min(match.rules.waiting_on(state))
    day = match.rules.view(state, None).day
    if day > 4:
        return None
    for move in match.rules.legal_moves(state, seat):
        after = match.rules.apply(state, seat, move, plies.chance_of(replay.seed(match), match.ply + 1)).state
        if match.rules.view(after, None).day > day:
            return seat, match.rules.write(move)
    return None


class HangingBroker:
    """A broker that accepts a message and never answers."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.release = threading.Event()

    def send_task(self, *args: object, **kwargs: object) -> None:
        self.asked.set()
        self.release.wait(20)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broker", ["down", "hanging"])
def test_a_broker_that_is_down_or_hangs_is_never_shown_to_the_player(
    broker: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    settings.NUDGES = True
    hanging = HangingBroker()
    if broker == "down":
        from celery import Celery

        # Nothing listens on port 1.
        monkeypatch.setattr(gemserver.celery, "app", Celery(broker="redis://127.0.0.1:1/0"))
    else:
        monkeypatch.setattr(gemserver.celery, "app", hanging)
    submit(request(asked(match), "bid 0"), now=LATER)
    assert match.moves.count() == 1
    if broker == "hanging":
        assert hanging.asked.wait(10), "the nudge was handed to the broker"
    hanging.release.set()


@pytest.mark.django_db(transaction=True)
def test_two_players_at_once_cannot_both_answer_one_prompt() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    seat = asked(match)
    outcomes: list[str] = []

    def try_to_bid(number: int) -> None:
        try:
            submit(request(seat, "bid 0", request_id=f"r{number}", prompt_ply=1), now=LATER)
            outcomes.append("played")
        except Refused as refused:
            outcomes.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=try_to_bid, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes).count("played") == 1
    assert match.moves.count() == 1
