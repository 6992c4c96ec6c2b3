"""Remembers the hands that a seat has passed on, and redraws the cards that it cannot know.

Gems of one suit are alike: when a holder plays a card that the reader has passed on, the reader counts it as that
one. So the known cards of a hand are a lower bound, and always part of it (RULES.md, paragraph 33).
"""

from __future__ import annotations

from collections.abc import Iterable

from games.chance import Chance
from games.gemessengers.components import ORDER
from games.gemessengers.state import Cards

Known = tuple[tuple[Cards, ...], ...]


def sort_cards(cards: Iterable[str]) -> Cards:
    """The cards in canonical order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def remove_card(cards: Cards, card: str) -> Cards:
    """Remove one card of this code; the cards stay unchanged when there is none."""
    if card not in cards:
        return cards
    place = cards.index(card)
    return (*cards[:place], *cards[place + 1 :])


def remove_cards(cards: Cards, gone: Iterable[str]) -> Cards:
    """Remove each of these cards once."""
    for card in gone:
        cards = remove_card(cards, card)
    return cards


def know_nothing(seats: int) -> Known:
    """Return the knowledge at the start, when nobody has passed a hand on yet."""
    return (((),) * seats,) * seats


def note_played(known: Known, played: Cards) -> Known:
    """Return the knowledge after a reveal; `played` has each seat's card, empty for none."""
    return tuple([tuple(map(remove_card, row, played)) for row in known])


def pass_on(hands: tuple[Cards, ...], passes: int) -> tuple[Cards, ...]:
    """The hands after each has gone so many seats on, or back."""
    return hands[-passes:] + hands[:-passes]


def note_passed(known: Known, hands: tuple[Cards, ...], passes: int) -> Known:
    """Return the knowledge after `hands` have gone `passes` seats on, before anybody draws."""
    rows = []
    for reader, row in enumerate(known):
        moved = [*pass_on((*row[:reader], hands[reader], *row[reader + 1 :]), passes)]
        moved[reader] = ()
        rows.append(tuple(moved))
    return tuple(rows)


def redraw_hands(
    hands: tuple[Cards, ...], pile: Cards, known: tuple[Cards, ...], chance: Chance
) -> tuple[tuple[Cards, ...], Cards]:
    """Deal all cards anew that are not `known` to be in a hand; return hands and draw pile."""
    unknown = [remove_cards(hand, cards) for hand, cards in zip(hands, known, strict=True)]
    pool = list(sort_cards(card for cards in (*unknown, pile) for card in cards))
    chance.shuffle(pool)
    redrawn = []
    for cards, others in zip(known, unknown, strict=True):
        redrawn.append(sort_cards((*cards, *pool[: len(others)])))
        del pool[: len(others)]
    return tuple(redrawn), tuple(pool)
