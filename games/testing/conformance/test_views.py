"""No leak: secrets can be redrawn, and nothing that the reader is shown changes."""

from __future__ import annotations

import pytest

from games.chance import Chance
from games.contract import IllegalMove
from games.testing.cases import Case, deal, list_moves, play_match
from games.testing.readers import list_readers


def test_redrawing_what_a_reader_cannot_know_changes_nothing_it_is_shown(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for reader in list_readers(case):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, f"redraw {played.ply}"))
            assert rules.view(redrawn, reader) == rules.view(played.before, reader)
            assert rules.waiting_on(redrawn) == rules.waiting_on(played.before)
            assert rules.context(redrawn) == rules.context(played.before)
            assert rules.bidders(redrawn) == rules.bidders(played.before)
            assert rules.standing(redrawn) == rules.standing(played.before)
            assert rules.ranks(redrawn) == rules.ranks(played.before)
            if list_pieces := case.game.list_pieces:
                assert list_pieces(redrawn) == list_pieces(played.before)
            if reader is not None:
                assert list_moves(rules, redrawn, reader) == list_moves(rules, played.before, reader)
                assert list(rules.steps(redrawn, reader, "")) == list(rules.steps(played.before, reader, ""))


def test_the_log_says_nothing_that_the_view_does_not_show(case: Case) -> None:
    """After one move in two positions, a reader with equal views has read equal logs, whatever is hidden."""
    rules = case.rules
    compared = 0
    for played in play_match(case):
        for reader in list_readers(case):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, f"redraw {played.ply}"))
            try:
                step = rules.apply(redrawn, played.seat, played.move, Chance(*played.chance))
            except IllegalMove:
                assert reader != played.seat
                continue
            if rules.view(step.state, reader) == rules.view(played.after, reader):
                compared += 1
                seen = [event for event in step.events if event.visible_to(reader)]
                assert seen == [event for event in played.events if event.visible_to(reader)]
    assert compared > 0


def test_redrawing_follows_from_what_the_reader_knows_alone(case: Case) -> None:
    """Redrawing twice gives the same as redrawing once: nothing of the real secrets comes through."""
    rules = case.rules
    for played in play_match(case)[::3]:
        for reader in list_readers(case):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, "once"))
            again = rules.resample(redrawn, reader, Chance(case.seed, "twice"))
            assert again == rules.resample(played.before, reader, Chance(case.seed, "twice"))


@pytest.mark.claimed("hidden")
def test_redrawing_reaches_other_positions(case: Case) -> None:
    first = deal(case)
    redrawn = [case.rules.resample(first, None, Chance(case.seed, str(n))) for n in range(5)]
    assert any(state != first for state in redrawn)


@pytest.mark.claimed("nothing-hidden")
def test_a_game_that_hides_nothing_has_nothing_to_redraw(case: Case) -> None:
    """A game that hides something says so in its `GameMeta.has_hidden`."""
    for played in play_match(case):
        for reader in list_readers(case):
            assert case.rules.resample(played.before, reader, Chance(case.seed, "redraw")) == played.before
