"""Where puzzles come from: never a match that runs, nor one whose deal is being played once more."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from games.puzzle import Puzzle
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.puzzles import finding
from gemserver.puzzles.days import find_posed, pose_puzzles
from gemserver.puzzles.models import Search, StoredPuzzle
from gemserver.puzzles.sources import NAMES, read_own_record, read_stored, store
from tests.builders import make_match, play_to_the_end, play_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(players: list[User]) -> Match:
    match = play_to_the_end(make_match("gem", players=players[:2]))
    Match.objects.filter(pk=match.pk).update(finished_at=clock.now())
    match.refresh_from_db()
    return match


@pytest.fixture(autouse=True)
def quick_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the first question of a match for a puzzle; what is one is asked in tests/puzzles/test_finding.py."""

    def find(game, record, reached, seat):  # type: ignore[no-untyped-def]
        move = game.rules.write(next(game.rules.legal_moves(reached.state, seat)))
        from dataclasses import replace

        return Puzzle(game, replace(record, moves=record.moves[: reached.ply]), seat, move, ((move, 60.0),))

    monkeypatch.setattr(finding, "find_puzzle", find)


def take_from(match: Match) -> StoredPuzzle:
    finding.find_more()
    return StoredPuzzle.objects.get(match=match)


def test_a_finished_public_match_gives_a_puzzle_and_is_looked_through_once(over: Match) -> None:
    stored = take_from(over)
    assert (stored.game, stored.record, stored.day) == ("gem", "", None)
    assert Search.objects.get(match=over).done_at
    finding.find_more()
    assert StoredPuzzle.objects.count() == 1


def test_it_names_nobody_of_the_match(over: Match) -> None:
    record = str(read_stored(take_from(over)).record)
    assert all(seat.name not in record for seat in over.read_seats())
    assert f"Players: {NAMES[0]} | {NAMES[1]}" in record
    assert not {"Parts", "Server-Part", "Match", "Commitment"} & {
        line.partition(":")[0] for line in record.splitlines()
    }


def test_no_puzzle_comes_of_a_running_match(players: list[User]) -> None:
    match = make_match("gem", players=players[:2])
    play_until(match, lambda match: match.ply > 5)
    finding.find_more()
    assert not StoredPuzzle.objects.exists()
    with pytest.raises(Refused, match="puzzle-gone"):
        read_own_record(Match.objects.get(pk=match.pk), 3)


def test_no_puzzle_comes_of_a_match_whose_deal_is_played_once_more(over: Match, players: list[User]) -> None:
    _play_again(over, players)
    finding.find_more()
    assert not StoredPuzzle.objects.exists()


def test_a_puzzle_is_not_shown_while_its_deal_is_played_once_more(over: Match, players: list[User]) -> None:
    stored = take_from(over)
    again = _play_again(over, players)
    now = clock.now()
    pose_puzzles(now)
    stored.refresh_from_db()
    assert stored.day is None, "another one is put in its place"
    StoredPuzzle.objects.exclude(day=None).delete()
    stored.day = now.date()
    stored.save()
    with pytest.raises(Refused, match="puzzle-gone"):
        find_posed(None, AnonymousUser(), now)
    Match.objects.filter(pk=again.pk).update(status=Match.Status.CANCELLED)
    assert find_posed(None, AnonymousUser(), now)[0] == stored


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"access": Match.Access.INVITED}, {"dealt_by": {"seed": "0" * 64}}])
def test_no_puzzle_comes_of_a_match_that_is_not_public_or_was_brought(
    over: Match, change: dict[str, object]
) -> None:
    Match.objects.filter(pk=over.pk).update(**change)
    finding.find_more()
    assert not StoredPuzzle.objects.exists()


def test_a_puzzle_of_an_own_match_comes_before_one_of_the_game(over: Match) -> None:
    stored = take_from(over)
    now = clock.now()
    for number in range(5):
        pose_puzzles(now + timedelta(days=number))
    stored.refresh_from_db()
    assert stored.day is not None
    assert StoredPuzzle.objects.filter(game="gem").exclude(day=None).order_by("day").first() == stored


def test_what_does_not_fit_the_rules_any_more_is_passed_over(over: Match) -> None:
    stored = take_from(over)
    StoredPuzzle.objects.filter(pk=stored.pk).update(best="bid 999")
    with pytest.raises(Refused, match="puzzle-gone"):
        read_stored(StoredPuzzle.objects.get(pk=stored.pk))


def test_the_search_goes_on_where_it_was(over: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "find_puzzle", lambda *given: None)
    monkeypatch.setattr(finding, "PIECE", 0.0)
    finding.find_more()
    search = Search.objects.get(match=over)
    assert (search.reached, search.done_at) == (0, None)
    monkeypatch.setattr(finding, "PIECE", 60.0)
    finding.find_more()
    search.refresh_from_db()
    assert search.done_at is not None


def _play_again(over: Match, players: list[User]) -> Match:
    """Another match of the same deal, which runs."""
    again = make_match("gem", players=players[:2])
    Match.objects.filter(pk=again.pk).update(server_part=over.server_part)
    return again


def test_the_same_question_is_stored_once(over: Match) -> None:
    stored = take_from(over)
    assert store(read_stored(stored), over).pk == stored.pk
