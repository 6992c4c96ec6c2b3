"""What a seat remembers of the hands it has passed on, and redrawing what it cannot know.

Gems of one suit are alike: when a holder plays a card that the reader has passed on, the reader counts it as that
one. So what is known of a hand is a lower bound, and always part of it (RULES.md, paragraph 33).
"""

from __future__ import annotations

from collections.abc import Iterable

from games.chance import Chance
from games.contract import Seat
from games.gemessengers.components import ORDER
from games.gemessengers.state import Cards

Known = tuple[tuple[Cards, ...], ...]


def sort_cards(cards: Iterable[str]) -> Cards:
    """The cards in canonical order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def remove_card(cards: Cards, card: str) -> Cards:
    """The cards without one of this code; unchanged when there is none."""
    if card not in cards:
        return cards
    place = cards.index(card)
    return (*cards[:place], *cards[place + 1 :])


def remove_cards(cards: Cards, gone: Iterable[str]) -> Cards:
    """The cards without these, each once."""
    for card in gone:
        cards = remove_card(cards, card)
    return cards


def know_nothing(seats: int) -> Known:
    """Nobody has passed a hand on yet."""
    return (((),) * seats,) * seats


def note_played(known: Known, played: Cards) -> Known:
    """After the reveal; `played` has each seat's card, empty for none."""
    return tuple(
        tuple(remove_card(cards, card) if cards else cards for cards, card in zip(row, played, strict=True))
        for row in known
    )


def note_passed(known: Known, hands: tuple[Cards, ...], passes: int) -> Known:
    """After the hands, which hold these cards, have gone `passes` seats on and before anybody draws."""
    seats = len(hands)
    rows = []
    for reader, row in enumerate(known):
        seen = [*row[:reader], hands[reader], *row[reader + 1 :]]
        moved = [seen[(holder - passes) % seats] for holder in range(seats)]
        moved[reader] = ()
        rows.append(tuple(moved))
    return tuple(rows)


def redraw_hands(
    hands: tuple[Cards, ...], pile: Cards, known: Known, reader: Seat | None, chance: Chance
) -> tuple[tuple[Cards, ...], Cards, Known]:
    """Hands, draw pile and what the other seats know, with all that the reader cannot know dealt anew."""
    kept = [
        hand if holder == reader else known[reader][holder] if reader is not None else ()
        for holder, hand in enumerate(hands)
    ]
    unknown = [remove_cards(hand, cards) for hand, cards in zip(hands, kept, strict=True)]
    pool = [card for cards in (*unknown, pile) for card in cards]
    chance.shuffle(pool)
    drawn: list[Cards] = []
    start = 0
    for cards in unknown:
        drawn.append(tuple(pool[start : start + len(cards)]))
        start += len(cards)
    redrawn = tuple(sort_cards(one + other) for one, other in zip(kept, drawn, strict=True))
    others = tuple(
        row
        if seat == reader
        else tuple(
            _translate(cards, kept[holder] + unknown[holder], kept[holder] + drawn[holder])
            for holder, cards in enumerate(row)
        )
        for seat, row in enumerate(known)
    )
    return redrawn, tuple(pool[start:]), others


def _translate(cards: Cards, before: Cards, after: Cards) -> Cards:
    """What somebody knows of a hand whose cards have been exchanged, place by place."""
    places = list(before)
    translated = []
    for card in cards:
        place = places.index(card)
        places[place] = ""
        translated.append(after[place])
    return sort_cards(translated)
