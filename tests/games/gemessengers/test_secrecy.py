"""Secrets: hands, sealed picks, the draw pile, later decks (RULES.md, paragraphs 8, 29 and 33)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import msgspec
import pytest

from games.chance import Chance
from games.contract import Seat
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from tests.games.gemessengers.positions import deal, play, watch


def list_positions(seats: int, seed: str) -> list[State]:
    """Every position of a random match."""
    dice = Chance(seed, "players")
    state = RULES.deal(seats=seats, options={}, chance=Chance(seed, "deal"))
    positions = [state]
    while waiting := sorted(RULES.waiting_on(state)):
        seat = waiting[dice.below(len(waiting))]
        state = RULES.apply(state, seat, RULES.random_move(state, seat, dice), dice).state
        positions.append(state)
    return positions


class Memory:
    """The memory of a player at the table who looks at every hand received and at every card revealed."""

    def __init__(self, seat: Seat, state: State) -> None:
        self.seat = seat
        self.state = state
        self.remembered: list[Counter[str]] = [Counter() for _ in state.hands]

    def look(self, after: State) -> None:
        """Follow the match by public facts and by the player's own hand."""
        before, self.state = self.state, after
        if after.round != before.round:
            self.remembered = [Counter() for _ in after.hands]
            return
        if after.turn == before.turn:
            return
        own = Counter(before.hands[self.seat])
        for seat in range(len(after.hands)):
            play, proclaim = after.revealed.plays[seat], after.revealed.proclaims[seat]
            card = play.gem if play else f"*{proclaim.suit}" if proclaim else ""
            remembered = own if seat == self.seat else self.remembered[seat]
            if remembered[card]:
                remembered[card] -= 1
        self.remembered[self.seat] = own
        if after.round == 2:
            self.remembered.append(self.remembered.pop(0))
        else:
            self.remembered.insert(0, self.remembered.pop())
        self.remembered[self.seat] = Counter()


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_view_has_what_a_player_at_the_table_would_remember(seats: int) -> None:
    """Paragraph 33."""
    first, *later = list_positions(seats, f"memory {seats}")
    memories = [Memory(seat, first) for seat in range(seats)]
    remembered = 0
    for state in later:
        if RULES.outcome(state):
            break
        for memory in memories:
            memory.look(state)
            known = RULES.view(state, memory.seat).known
            assert [Counter(cards) for cards in known] == [+cards for cards in memory.remembered]
            for cards, hand in zip(known, state.hands, strict=True):
                assert not Counter(cards) - Counter(hand), "what one remembers is true"
                remembered += len(cards)
    assert remembered > 100


def test_a_view_is_the_table_and_ones_own_hand() -> None:
    state = play(
        deal("A C D E R S", "T T T T T *A", "E E E E E S"), "A play ruby", "B proclaim amethyst base"
    )
    view = RULES.view(state, 0)
    assert view.hand == ("A", "C", "D", "E", "R", "S")
    assert view.pick == RULES.parse(state, 0, "play ruby")
    assert view.has_picked == (True, True, False)
    assert view.known == ((), (), ())
    shown = msgspec.json.encode(replace(view, reader=None)).decode()
    assert '"T"' not in shown
    assert '"*A"' not in shown
    watcher = RULES.view(state, None)
    assert (watcher.hand, watcher.pick, watcher.hand_sizes) == ((), None, (6, 6, 6))


def test_what_was_passed_on_is_remembered() -> None:
    """Two rubies are passed on and one ruby is played: one is still there, whichever it was."""
    state = deal("A R R E *D S", "T T T T C *A", "D D D D D D")
    state = play(state, "A play amethyst", "B play topaz", "C play diamond")
    assert RULES.view(state, 0).known == ((), ("E", "R", "R", "S", "*D"), ())
    assert RULES.view(state, 2).known == (("D",) * 5, (), ())
    assert RULES.view(state, None).known == ((), (), ())
    state = play(state, "B play ruby above", "A play diamond above", "C play topaz row 1")
    assert RULES.view(state, 0).known == ((), ("A", "D", "D", "D", "D"), ("E", "R", "S", "*D"))


def test_others_are_told_only_that_there_is_a_pick() -> None:
    """Paragraph 29."""
    state = deal("A C D E R S", "T T T T T *A")
    state, events = watch(state, "A play ruby")
    assert [
        (event.kind, event.visible_to(0), event.visible_to(1), event.visible_to(None)) for event in events
    ] == [
        ("picked", True, True, True),
        ("pick", True, False, False),
    ]
    assert events[0].data == {}
    assert events[1].data["text"] == "play ruby"
    state, events = watch(state, "A play emerald")
    assert [event.kind for event in events if event.visible_to(1)] == [], (
        "a change of mind is one's own affair"
    )
    assert events[0].data == {"text": "play emerald", "changed": True}


def test_a_sealed_pick_lies_face_down_until_the_reveal() -> None:
    state = deal("A C D E R S", "T T T T T *A")
    first = RULES.apply(state, 0, RULES.parse(state, 0, "play ruby"), Chance("x", "ply 1"))
    assert first.sealed
    last = RULES.apply(first.state, 1, RULES.parse(state, 1, "play topaz"), Chance("x", "ply 2"))
    assert not last.sealed
    assert all(event.audience is None for event in last.events)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_redrawn_positions_are_possible_ones(seats: int) -> None:
    """They can be redrawn again for any other seat, and played on to the end."""
    for number, state in enumerate(list_positions(seats, f"redrawn {seats}")[:-1:7]):
        for reader in (None, *range(seats)):
            chance = Chance(f"{seats} {number} {reader}", "redraw")
            redrawn = RULES.resample(state, reader, chance)
            assert RULES.view(redrawn, reader) == RULES.view(state, reader)
            for other in range(seats):
                for cards, hand in zip(redrawn.known[other], redrawn.hands, strict=True):
                    assert not Counter(cards) - Counter(hand)
                pick = redrawn.sealed.of(other)
                assert (pick is None) == (state.sealed.of(other) is None)
                assert pick is None or pick in list(RULES.legal_moves(redrawn, other))
            twice = RULES.resample(redrawn, 0, chance)
            assert RULES.view(twice, 0) == RULES.view(redrawn, 0)


def test_hidden_cards_are_redrawn_uniformly() -> None:
    """Each of the 43 cards that A cannot know is as often in B's hand as any other."""
    state = deal("A A A A A A", "C C C C C C", "D D D D D D")
    draws = 600
    counts = Counter[str]()
    for number in range(draws):
        counts.update(RULES.resample(state, 0, Chance(f"uniform {number}", "redraw")).hands[1])
    assert counts["A"] == 0
    for suit in "CDERST":
        expected = draws * 6 * 6 / 43
        assert abs(counts[suit] - expected) < 6 * expected**0.5, suit
    assert abs(counts["*A"] - draws * 6 / 43) < 6 * (draws * 6 / 43) ** 0.5


def test_a_redrawn_pick_may_be_any_legal_move() -> None:
    state = play(deal("A A A A A A", "C C C C C C"), "B play citrine")
    redrawn = {
        RULES.write(
            RULES.resample(state, 0, Chance(f"{number}", "redraw")).sealed.of(1) or pytest.fail("no pick")
        )
        for number in range(200)
    }
    assert {"play citrine", "play topaz"} < redrawn
    assert any(text.startswith("proclaim") for text in redrawn)


def test_the_order_of_a_hand_does_not_tell_what_was_drawn() -> None:
    state = play(deal("S S S S S S", "T T T T T T"), "A play sapphire", "B play topaz")
    assert state.hands == (("A", "T", "T", "T", "T", "T"), ("A", "S", "S", "S", "S", "S"))
