"""Writes the words of a line as texts in the notation: in their order, in another, with what may be added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from games.phrases.moves import PlayableMoves
from games.phrases.order import (
    turn_round,
    with_kinds_named,
    with_payment_behind,
    with_sides_behind,
    with_step_words,
    with_verbs_in_front,
)
from games.phrases.verbless import PAYMENT
from games.phrases.words import Word

_COINS = frozenset(("coins", "münzen", "muenzen", "pièces", "pieces"))
_LEAST_TURNED = 3
"""Words of a move that may stand in another order: `at 3 I bid` is no bid."""
_HAS_PLACE = re.compile(r"[a-z]\d|\d,|^\*|^row$", re.IGNORECASE)
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s*([,+])\s*(?=-?\d)")


@dataclass
class Arrangement:
    """Puts words into the orders that moves of a position have."""

    moves: PlayableMoves

    def as_said(self, words: Sequence[Word], language: str, *, may_lack_verb: bool) -> Iterator[str]:
        """The texts that the words can make: as they stand, with a German verb from the end in front, or one added."""
        spoken = [word.text for word in words if word.text]
        if not spoken:
            return
        orders = [spoken]
        if spoken[0] not in self.moves.verbs:
            if spoken[-1] in self.moves.clause_words and language == "de" and len(spoken) > 1:
                orders.append(with_verbs_in_front(spoken, self.moves.clause_words))
            elif may_lack_verb:
                orders += [[verb, *spoken] for verb in self._verbs_lacking(spoken)]
        orders += [with_sides_behind(order) for order in orders]
        if self._tells_payment(words):
            if (may_lack_verb or not self.moves.clause_words.isdisjoint(spoken)) and not _counts_coins(words):
                yield from self._paid_by_pieces(spoken)
            orders += [with_payment_behind(order, self.moves.main_verb) for order in orders]
        yield from self._write(orders)

    def turned_round(self, words: Sequence[Word], _language: str, *, may_lack_verb: bool) -> Iterator[str]:
        """The texts that the words make with the verb in front, the place behind its object, and words put between."""
        spoken = [word.text for word in words if word.text]
        if not spoken:
            return
        if self.moves.is_paid:  # `EE and EA, both coins`
            spoken = [part for word in spoken for part in self.moves.amounts.get(word, word).split()]
        verbs = [word for word in spoken if word in self.moves.verbs]
        if self.moves.has_steps and (verbs or may_lack_verb):
            yield from self._write([with_step_words(spoken)])
        if len(verbs) > 1 or "+" in spoken:
            return
        added = self._verbs_lacking(spoken) if may_lack_verb and not verbs else [""]
        for said in ([*filter(None, [verb]), *spoken] for verb in added):
            if len(said) >= _LEAST_TURNED:
                yield from self._write(
                    turn_round(said, self.moves.clause_words, is_paid=self._tells_payment(words))
                )
            if said[:1] == ["trade"]:
                yield from self._write([with_kinds_named(said)])

    def _paid_by_pieces(self, spoken: Sequence[str]) -> Iterator[str]:
        """The move of these pieces in which those pay that can, whichever is said to: `RR for ET` activates ET."""
        said = tuple(sorted(_piece(word) for word in spoken if word not in self.moves.clause_words))
        verbs = self.moves.verbs.intersection(spoken)
        moves = self._by_pieces.get(said, ()) if len(said) > 1 else ()
        found = [move for move in moves if verbs <= {move.partition(" ")[0]}]
        yield from found if len(found) == 1 else ()
        if spoken.count("pay") == 1:  # `the rubies for ET`
            place = [*spoken].index("pay")
            before = [word for word in spoken[:place] if word not in self.moves.clause_words]
            behind = spoken[place + 1 :]
            if before and behind and self.moves.clause_words.isdisjoint(behind):
                yield " ".join([self.moves.main_verb, *behind, "pay", *before])

    @cached_property
    def _by_pieces(self) -> Mapping[tuple[str, ...], Sequence[str]]:
        """The legal moves by their pieces, those that pay among them."""
        found: dict[tuple[str, ...], list[str]] = {}
        for move in self.moves.listed:
            pieces = (_piece(word) for word in move.split() if word.lower() not in self.moves.clause_words)
            found.setdefault(tuple(sorted(pieces)), []).append(move)
        return found

    def _verbs_lacking(self, spoken: Sequence[str]) -> Sequence[str]:
        """The verbs that may be missing before these words: what has a place or a card of its own may lack any."""
        main = self.moves.main_verb
        has_place = len(spoken) > 1 and any(map(_HAS_PLACE.search, spoken))
        return [main, *(sorted(self.moves.verbs - {main}) if has_place else ())]

    def _tells_payment(self, words: Sequence[Word]) -> bool:
        """True if numbers among the words may be coins: those of `the diamond, 3`, but not of `three diamonds`."""
        said = [word.text for word in words if word.text]
        return self.moves.is_paid and (
            self.moves.amounts.get(said[-1], said[-1])[:1].isdecimal()
            or not {"pay", "invest"}.isdisjoint(said)
            or any(not PAYMENT.isdisjoint(word.dropped.split()) for word in words)
        )

    def _write(self, orders: Iterable[Sequence[str]]) -> Iterator[str]:
        """The texts of these words, with numbers side by side as a cell and as two numbers."""
        for order in orders:
            text = " ".join(filter(None, (self.moves.amounts.get(word, word) for word in order)))
            yield from dict.fromkeys((_BETWEEN_DIGITS.sub(r"\1", text), _BETWEEN_DIGITS.sub(" ", text)))


def _counts_coins(words: Sequence[Word]) -> bool:
    """True for *three coins*, which may be three of them or a coin of 3."""
    numbers = [word.text for word in words if word.text.isdecimal()]
    return len(numbers) == 1 and any(not _COINS.isdisjoint(word.dropped.split()) for word in words)


def _piece(code: str) -> str:
    """The code of a piece, with its letters in one order: `TE` is `ET`."""
    return "".join(sorted(code.lower()))
