"""What a registered game may not lack: texts of deals, rules page, picture, records."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.contract import InvalidMove
from games.registry import UnknownGame, game
from tests.games.conformance.readers import TR
from tests.games.pieces import LIST_PIECES
from tests.games.playing import Case, deal, each_case, each_game

PROJECT = Path(__file__).resolve().parents[3]


@each_case
def test_an_explicit_deal_gives_the_same_first_position(case: Case) -> None:
    rules = case.rules
    first = deal(case)
    waiting = rules.waiting_on(first)
    starter = min(waiting) if len(waiting) == 1 else 0
    text = rules.write_deal(first)
    assert "\n" not in text
    again = rules.deal_explicit(seats=case.seats, options=dict(case.options), deal=text, first=starter)
    assert again == first
    assert rules.write_deal(again) == text


@each_case
@pytest.mark.parametrize("damage", ["", "nonsense", "half"])
def test_a_damaged_deal_is_refused(case: Case, damage: str) -> None:
    text = case.rules.write_deal(deal(case))
    broken = text[: len(text) // 2] if damage == "half" else damage
    with pytest.raises(InvalidMove):
        case.rules.deal_explicit(seats=case.seats, options=dict(case.options), deal=broken, first=0)


@each_game
def test_the_slug_is_the_registered_one(slug: str) -> None:
    meta = game(slug).rules.meta
    assert meta.slug == slug
    assert 1 < meta.min_seats <= meta.max_seats
    assert meta.designer
    assert meta.version >= 1


def test_an_unknown_game_is_refused_with_the_list_of_games() -> None:
    with pytest.raises(UnknownGame) as refusal:
        game("chess")
    assert "gem" in refusal.value.message.text(TR)


@each_game
def test_nothing_is_missing(slug: str) -> None:
    assert slug in LIST_PIECES
    assert (PROJECT / "games" / slug / "RULES.md").read_text().startswith("# ")
    assert (PROJECT / "templates" / "games" / slug / "board.svg").exists()
    assert len(list((PROJECT / "tests" / "games" / "records" / slug).glob("*.match"))) >= 4
    assert len(list((PROJECT / "tests" / "games" / "playthroughs" / slug).glob("*.txt"))) >= 2


@each_game
def test_the_rules_page_names_designer_and_reconstructed_parts(slug: str) -> None:
    meta = game(slug).rules.meta
    page = (PROJECT / "games" / slug / "RULES.md").read_text()
    assert meta.designer in page
    if meta.year is not None:
        assert str(meta.year) in page
    if meta.reconstructed:
        assert "econstruct" in page
