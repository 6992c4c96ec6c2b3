"""A match that a moderator ends."""

from __future__ import annotations

import pytest

from games.record import read_record
from games.replay import replay
from gemserver.matches.actions.play.adjudicate import adjudicate, rank_with
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.models import Match
from gemserver.matches.records import record_text
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user, play_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    match = make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], server_part="7" * 64)
    return play_until(match, lambda match: match.ply >= 12)


def test_the_match_is_over_and_everybody_is_told(match: Match) -> None:
    waiting = match.seats.get(is_waiting=True)
    ended = adjudicate(match.pk, [1], "ben had won anyway", now=NOON)
    assert (ended.status, ended.ending) == ("finished", "adjudicated")
    assert ended.seats.get(index=1).rank == 1
    assert sorted(ended.seats.values_list("rank", flat=True))[1] > 1
    assert not ended.seats.filter(is_waiting=True).exists()
    assert OutboxMessage.objects.filter(kind="finished").count() == 3
    assert expire_seat(waiting.pk, now=NOON) is None
    with pytest.raises(Refused, match="not-running"):
        adjudicate(match.pk, [0], "again", now=NOON)


def test_without_winners_the_score_counts(match: Match) -> None:
    ended = adjudicate(match.pk, [], "everybody agrees", now=NOON)
    by_rank = list(ended.seats.order_by("rank").values_list("score", flat=True))
    assert by_rank == sorted(by_rank, reverse=True)


def test_its_record_says_so_and_replays(match: Match) -> None:
    ended = adjudicate(match.pk, [2], "why", now=NOON)
    text = record_text(ended)
    assert "Ending: adjudicated" in text
    played = replay(read_record(text))
    assert played.refusal is None
    assert played.ended
    assert list(played.scores) == [seat.score for seat in ended.seats.order_by("index")]


@pytest.mark.parametrize(
    ("winners", "standing", "ranks"),
    [
        ([], [2, 1, 3], [2, 1, 3]),
        ([2], [2, 1, 3], [3, 2, 1]),
        ([0, 2], [2, 1, 3], [1, 3, 1]),
        ([0, 1, 2], [2, 1, 3], [1, 1, 1]),
        ([3], [1, 1, 3, 3], [2, 2, 4, 1]),
    ],
)
def test_winners_come_first_and_the_others_keep_their_order(
    winners: list[int], standing: list[int], ranks: list[int]
) -> None:
    assert rank_with(winners, standing) == ranks
