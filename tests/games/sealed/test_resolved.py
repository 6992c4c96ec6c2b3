"""Records of random matches with plans and sealed orders equal those that an independent referee writes."""

from __future__ import annotations

import pytest

from games.chance import Chance
from games.registry import game
from tests.games.sealed import gem_table, jewellers_table
from tests.games.sealed.diaries import Diary, play_diary
from tests.games.sealed.gem_table import GemTable
from tests.games.sealed.jewellers_table import JewellersTable
from tests.games.sealed.referee import Referee, Table, Words
from tests.quick import first, size

MATCHES = size(30, 1000)
"""The number of matches of each game."""

PARTS = 8
"""In which they are played, so that every core has work."""

SEATS = {"gem": (2, 3, 4), "jewellers": (2, 3, 4, 5)}


def set_up(diary: Diary) -> Table:
    """Set up the referee's table with the deal of the diary, read from its text."""
    rules = game(diary.slug).rules
    options = {"pace": "sealed", "silver": "no"}
    state = rules.deal(seats=diary.seats, options=options, chance=Chance(diary.seed, "deal"))
    if diary.slug == "gem":
        return GemTable(diary.seats, rules.write_deal(state).split(), state.oya)
    return JewellersTable(diary.seats, dict.fromkeys(jewellers_table.SIZES, 5), state.starter)


def words(slug: str, text: str) -> Words:
    return gem_table.words(text) if slug == "gem" else jewellers_table.words(text)


def referee(diary: Diary) -> list[tuple[int, Words]]:
    """Return the referee's record."""
    judge = Referee(set_up(diary), diary.is_sealed)
    for kind, seat, text in diary.sent:
        match kind:
            case "start":
                judge.start()
            case "move":
                judge.move(seat, text)
            case "order":
                judge.order(seat, text)
            case "plan":
                judge.plan(seat, text)
            case "expire":
                judge.expire(seat)
    return judge.record


@pytest.mark.parametrize("part", first(1, range(PARTS)))
@pytest.mark.parametrize("is_sealed", [True, False], ids=["sealed", "table"])
@pytest.mark.parametrize("slug", SEATS)
def test_the_record_is_that_of_the_referee(slug: str, is_sealed: bool, part: int) -> None:
    dropped = from_plans = 0
    numbers = range(part, MATCHES if is_sealed else max(2 * PARTS, MATCHES // 5), PARTS)
    for number in numbers:
        seats = SEATS[slug][number % len(SEATS[slug])]
        diary = play_diary(slug, seats, number, is_sealed=is_sealed)
        record = [(seat, words(slug, text)) for seat, text in diary.record]
        assert record == referee(diary), f"match {number}"
        dropped += diary.dropped
        from_plans += sum(kind == "plan" for kind, _, _ in diary.sent)
    assert dropped > len(numbers) / 4, "plans were dropped too"
    assert from_plans > len(numbers)


def test_the_referee_notices_when_an_order_is_left_out() -> None:
    """Prove that the comparison above can fail."""
    diary = play_diary("jewellers", 3, 1, plans=0)
    record = [(seat, words("jewellers", text)) for seat, text in diary.record]
    place = next(
        place for place, (kind, _, text) in enumerate(diary.sent) if kind == "order" and "bid" in text
    )
    kind, seat, _ = diary.sent[place]
    diary.sent[place] = (kind, seat, "pass")
    try:
        changed = referee(diary)
    except AssertionError:
        return
    assert record != changed
