"""Resigning: the table, its record and the seats afterwards."""

from __future__ import annotations

import pytest

from games.record import read_record
from games.replay import replay as replay_record
from gemserver.matches import records, replay, selectors
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user, play, play_to_the_end, play_until
from tests.logs import read_log

pytestmark = pytest.mark.django_db


def give_up(match: Match, name: str, *, request_id: str = "web:1") -> Match:
    user = match.seats.get(user__username=name).user
    assert user
    return resign(match.pk, user, source=Move.Source.WEB, request_id=request_id, now=NOON)


def test_with_two_seats_the_match_ends_and_the_other_wins() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    match = play_until(match, lambda reached: reached.ply == 5)
    give_up(match, "ana")
    match = Match.objects.get(pk=match.pk)
    assert (match.status, match.ending, match.ply) == ("finished", "resigned", 6)
    ranks = dict(match.seats.values_list("user__username", "rank"))
    assert ranks == {"ana": 2, "ben": 1}
    assert not match.seats.filter(is_waiting=True).exists()
    assert OutboxMessage.objects.filter(kind="finished").count() == 2
    assert "ana resigns." in read_log(match, None)[-1].sentences


def test_the_record_of_a_resigned_match_replays_to_its_own_result() -> None:
    match = play_until(
        make_match(players=[make_user("ana"), make_user("ben")]), lambda reached: reached.ply == 5
    )
    give_up(match, "ben")
    match = Match.objects.get(pk=match.pk)
    text = records.record_text(match)
    assert "6 B resign\n" in text
    assert "Ending: resigned\n" in text
    replayed = replay_record(read_record(text))
    assert replayed.refusal is None
    assert (replayed.ended, replayed.ranks) == (True, (1, 2))
    assert [move and move.text for move, _ in replay.steps(match)][-1] == "resign"


@pytest.mark.parametrize(("absence", "is_open"), [("default", False), ("bot", False), ("replace", True)])
def test_with_more_seats_a_bot_goes_on_and_a_substitute_may_follow(absence: str, is_open: bool) -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = play_until(
        make_match(players=players, absence=Match.Absence(absence)), lambda reached: reached.ply == 4
    )
    old = match.seats.get(index=1).reply_address
    give_up(match, "ben")
    match = Match.objects.get(pk=match.pk)
    assert match.is_running
    seat = match.seats.get(index=1)
    assert (seat.user, seat.bot, seat.is_open) == (None, "normal", is_open)
    assert seat.reply_address != old
    assert "seat B resigns. A bot plays on" in read_log(match, None)[-1].sentences[0]
    if is_open:
        take_seat(match.pk, 1, make_user("dee"), now=NOON)


def test_after_a_resignation_the_others_chance_is_that_of_the_record() -> None:
    """Every ply has its own chance, and the resignation is a ply."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = play_until(make_match("jewellers", players=players), lambda reached: reached.ply == 4)
    give_up(match, "ben")
    match = play_to_the_end(Match.objects.get(pk=match.pk))
    replayed = replay_record(read_record(records.record_text(match)))
    assert replayed.refusal is None
    assert tuple(replayed.scores) == tuple(match.seats.order_by("index").values_list("score", flat=True))
    assert replayed.ended


def test_the_prompts_of_the_others_stay() -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(players=players)
    asked = match.seats.get(is_waiting=True)
    other = match.seats.exclude(pk=asked.pk).select_related("user").first()
    assert other
    assert other.user
    give_up(match, other.user.username)
    after = Seat.objects.get(pk=asked.pk)
    assert (after.prompt_ply, after.due_at, after.is_waiting) == (asked.prompt_ply, asked.due_at, True)
    play(Match.objects.get(pk=match.pk), asked.index, "bid 0")
    assert match.moves.order_by("-ply")[0].ply == 2


def test_a_resignation_turns_no_sealed_pick_over() -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = play_until(
        make_match("gemessengers", players=players),
        lambda reached: reached.moves.filter(is_sealed=True).exists(),
    )
    pick = match.moves.get(is_sealed=True)
    quitter = match.seats.exclude(index=pick.seat).select_related("user").first()
    assert quitter
    assert quitter.user
    give_up(match, quitter.user.username)
    assert pick.text not in records.record_text(Match.objects.get(pk=match.pk)).split("\n\n")[1]
    assert not selectors.is_public(pick)


def test_twice_by_the_same_request_is_once() -> None:
    match = make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])
    give_up(match, "ana")
    ben = match.seats.get(user__username="ben").user
    assert ben
    give_up(match, "ben", request_id="web:2")
    resign(match.pk, ben, source=Move.Source.WEB, request_id="web:2", now=NOON)
    assert match.moves.filter(text="resign").count() == 2


def test_who_holds_no_seat_or_is_too_late_is_refused() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    with pytest.raises(Refused) as refused:
        resign(match.pk, make_user("cy"), source=Move.Source.WEB, request_id="1", now=NOON)
    assert refused.value.code == "not-seated"
    give_up(match, "ana")
    with pytest.raises(Refused) as refused:
        give_up(match, "ben", request_id="2")
    assert refused.value.code == "over"
