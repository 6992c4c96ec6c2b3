"""Jewellers without silver in its simplest form, for the referee."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, combinations

from tests.games.sealed.referee import Words

SIZES = ("small", "medium", "large")


@lru_cache(maxsize=4096)
def sets(hand: frozenset[int]) -> list[tuple[int, ...]]:
    ordered = sorted(hand)
    return list(chain.from_iterable(combinations(ordered, size) for size in range(1, len(ordered) + 1)))


def words(text: str) -> Words:
    head, *rest = text.split()
    return (head, *sorted(rest, key=int)) if head == "bid" else (head, *rest)


class JewellersTable:
    def __init__(self, seats: int, bag: dict[str, int], starter: int) -> None:
        self.seats = seats
        self.bag = bag
        self.starter = self.turn = starter
        self.gem = 1
        self.is_drawn = False
        self.hands = [frozenset(range(2, 11)) for _ in range(seats)]
        self.begin()

    def begin(self) -> None:
        self.table: list[frozenset[int]] = [frozenset() for _ in range(self.seats)]
        self.out: list[int] = []
        self.joined = [bool(hand) for hand in self.hands]
        self.turn, self.is_drawn = self.starter, False

    def is_over(self) -> bool:
        return not self.is_drawn and not any(self.bag.values())

    def context(self) -> str | None:
        return None if self.is_over() else f"gem {self.gem}"

    def to_act(self) -> int:
        return self.turn

    def is_contest(self) -> bool:
        return self.is_drawn

    def lead(self) -> int:
        return max(sum(cards) for cards in self.table)

    def must_open(self, seat: int) -> bool:
        return seat == self.starter and not self.lead()

    def raises(self, seat: int, lead: int) -> list[tuple[int, ...]]:
        return [cards for cards in sets(self.hands[seat]) if sum(self.table[seat]) + sum(cards) > lead]

    def legal(self) -> list[Words]:
        if not self.is_drawn:
            return [("draw", size) for size in SIZES if self.bag[size]]
        bids: list[Words] = [("bid", *map(str, cards)) for cards in self.raises(self.turn, self.lead())]
        return bids if self.must_open(self.turn) else [("pass",), *bids]

    def find(self, text: str) -> Words | None:
        if text.startswith("up to") and self.is_drawn:
            return self.up_to(self.turn, int(text.split()[2]), self.lead())
        meant = words(text)
        return meant if meant in self.legal() else None

    def up_to(self, seat: int, limit: int, lead: int) -> Words | None:
        lying = sum(self.table[seat])
        fitting = [cards for cards in self.raises(seat, lead) if lying + sum(cards) <= limit]
        cheapest = min(fitting, key=lambda cards: (sum(cards), len(cards), cards[::-1]), default=None)
        return ("bid", *map(str, cheapest)) if cheapest else None

    def default(self) -> Words:
        if not self.is_drawn:
            return next(("draw", size) for size in SIZES if self.bag[size])
        return ("bid", str(min(self.hands[self.turn]))) if self.must_open(self.turn) else ("pass",)

    def least_lead(self, seat: int) -> int:
        """The least total that this seat will have to beat when its turn comes."""
        if self.lead() or seat == self.turn or not self.must_open(self.turn):
            return self.lead()
        return min(self.hands[self.turn])

    def may_decide(self, seat: int) -> bool:
        if not self.joined[seat] or seat in self.out:
            return False
        ways = len(self.raises(seat, self.least_lead(seat)))
        return ways > 1 if self.must_open(seat) else ways > 0

    def could_be_legal(self, seat: int, text: str) -> bool:
        if text.startswith("up to"):
            return self.up_to(seat, int(text.split()[2]), self.least_lead(seat)) is not None
        if text == "pass":
            return not self.must_open(seat)
        head, *cards = words(text)
        return head == "bid" and tuple(map(int, cards)) in self.raises(seat, self.least_lead(seat))

    def play(self, move: Words) -> None:
        if move[0] == "draw":
            self.bag[move[1]] -= 1
            self.is_drawn = True
            self.turn = self.following(self.starter - 1)
        elif move[0] == "bid":
            cards = frozenset(map(int, move[1:]))
            self.hands[self.turn] -= cards
            self.table[self.turn] |= cards
            self.go_on()
        else:
            self.out.append(self.turn)
            self.go_on()
        if self.turn < 0:
            self.close()

    def following(self, seat: int) -> int:
        """The next one who takes part; -1 when there is none."""
        order = [(seat + step) % self.seats for step in range(1, self.seats + 1)]
        return next((other for other in order if self.joined[other] and other not in self.out), -1)

    def go_on(self) -> None:
        leaders = [seat for seat, cards in enumerate(self.table) if cards and sum(cards) == self.lead()]
        self.turn = self.following(self.turn)
        if [self.turn] == leaders:
            self.turn = -1

    def close(self) -> None:
        best = self.lead()
        buyer = next((seat for seat, cards in enumerate(self.table) if cards and sum(cards) == best), None)
        for seat, cards in enumerate(self.table):
            if seat != buyer:
                self.hands[seat] |= cards
        self.starter = self.out[0] if self.out else (self.starter + 1) % self.seats
        self.gem += 1
        self.begin()
