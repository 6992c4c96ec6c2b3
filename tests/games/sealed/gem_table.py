"""GEM in its simplest form, for the referee."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, combinations

from tests.games.sealed.referee import Words

VALUE = {
    **dict.fromkeys(["1", "SR", "RE", "EA", "AT", "TS", "D1"], 1),
    **dict.fromkeys(["2", "SE", "ET", "TR", "RA", "AS", "D2"], 2),
    **dict.fromkeys(["3", "SS", "RR", "EE", "AA", "TT", "D3"], 3),
}
CARDS = [card for card in VALUE if not card.isdigit()]
PILES = {2: (4, 3, 3, 3, 3, 2), 3: (3,) * 6, 4: (4, 3, 3, 3, 3, 2)}


def worth(pieces: frozenset[str] | tuple[str, ...]) -> int:
    return sum(VALUE[piece] for piece in pieces)


def jewels(card: str) -> int:
    return 1 if card[1].isdigit() else 2


@lru_cache(maxsize=4096)
def subsets(pieces: frozenset[str]) -> list[tuple[str, ...]]:
    ordered = sorted(pieces)
    return list(chain.from_iterable(combinations(ordered, size) for size in range(len(ordered) + 1)))


@lru_cache(maxsize=4096)
def exact(pieces: frozenset[str], cost: int) -> list[tuple[str, ...]]:
    """Ways to pay at least the cost without a superfluous piece."""
    return [
        pay
        for pay in subsets(pieces)
        if worth(pay) >= cost and all(worth(pay) - VALUE[piece] < cost for piece in pay)
    ]


def words(text: str) -> Words:
    """The words of a text, with the codes on each side of `pay` sorted."""
    head, *rest = text.split()
    if head not in ("take", "invest"):
        return (head, *rest)
    place = rest.index("pay") if "pay" in rest else len(rest)
    return (head, *sorted(rest[:place]), *(["pay", *sorted(rest[place + 1 :])] if rest[place:] else []))


class GemTable:
    def __init__(self, seats: int, codes: list[str], oya: int) -> None:
        self.seats = seats
        self.days = []
        for size in PILES[seats]:
            self.days.append(codes[:size])
            codes = codes[size:]
        self.day, self.auction = 1, 1
        self.open = self.days[0]
        self.oya = self.turn = oya
        self.called: dict[int, int | None] = {}
        self.winner: int | None = None
        self.buyer: int | None = None
        self.invested: list[int] | None = None
        self.active = [frozenset("123") for _ in range(seats)]
        self.spent: list[frozenset[str]] = [frozenset() for _ in range(seats)]

    def is_over(self) -> bool:
        return self.day > 6

    def context(self) -> str | None:
        if self.is_over():
            return None
        return (
            f"day {self.day} investments"
            if self.invested is not None
            else f"day {self.day} auction {self.auction}"
        )

    def to_act(self) -> int:
        return self.turn

    def is_contest(self) -> bool:
        return self.winner is None

    def lead(self) -> int:
        return max([call for call in self.called.values() if call is not None], default=-1)

    def purchases(self, seat: int) -> list[Words]:
        """List the investments that the seat could make."""
        cards = frozenset(card for card in self.spent[seat] if card in CARDS)
        return [
            words(" ".join(["invest", *chosen, "pay", *pay]))
            for chosen in subsets(cards)
            if chosen
            for pay in exact(self.active[seat], worth(chosen))
        ]

    def legal(self) -> list[Words]:
        seat = self.turn
        if self.invested is not None:
            return [("keep",), *self.purchases(seat)]
        if self.winner is not None:
            bid = self.lead()
            return [
                words(" ".join(["take", card, *(["pay", *pay] if pay else [])]))
                for card in self.open
                for pay in exact(self.active[seat], bid)
            ]
        bids: list[Words] = [
            ("bid", str(bid)) for bid in range(self.lead() + 1, worth(self.active[seat]) + 1)
        ]
        return [("pass",), *bids] if self.called else bids

    def find(self, text: str) -> Words | None:
        meant = words(text)
        return meant if meant in self.legal() else None

    def default(self) -> Words:
        if self.invested is not None:
            return ("keep",)
        return ("pass",) if self.called else ("bid", "0")

    def may_decide(self, seat: int) -> bool:
        if self.invested is not None:
            return seat not in self.invested and bool(self.purchases(seat))
        return seat not in self.called and worth(self.active[seat]) > max(self.lead(), 0)

    def could_be_legal(self, seat: int, text: str) -> bool:
        move = words(text)
        if self.invested is not None:
            return move in [("keep",), *self.purchases(seat)]
        if move == ("pass",):
            return seat != self.oya or bool(self.called)
        least = 0 if seat == self.oya else max(self.lead(), 0) + 1
        return move[0] == "bid" and least <= int(move[1]) <= worth(self.active[seat])

    def play(self, move: Words) -> None:
        seat = self.turn
        pay = frozenset(move[move.index("pay") + 1 :]) if "pay" in move else frozenset()
        self.active[seat] -= pay
        self.spent[seat] |= pay
        match move[0]:
            case "bid" | "pass":
                self.called[seat] = int(move[1]) if move[0] == "bid" else None
                self.turn = (seat + 1) % self.seats
                if len(self.called) == self.seats:
                    self.winner = self.turn = next(
                        s for s, call in self.called.items() if call == self.lead()
                    )
            case "take":
                self.sell(seat, move[1])
            case "invest" | "keep":
                assert self.invested is not None
                chosen = frozenset(move[1 : move.index("pay")]) if pay else frozenset()
                self.spent[seat] -= chosen
                self.active[seat] |= chosen
                self.invested.append(seat)
                self.turn = (seat + 1) % self.seats
                if len(self.invested) == self.seats:
                    self.sleep()

    def sell(self, seat: int, card: str) -> None:
        self.open = [other for other in self.open if other != card]
        (self.active if self.day == 6 else self.spent)[seat] |= {card}
        self.called, self.winner, self.buyer = {}, None, seat
        if self.open:
            self.auction += 1
            self.oya = self.turn = (seat + 1) % self.seats
        else:
            self.invested, self.turn = [], seat

    def sleep(self) -> None:
        assert self.buyer is not None
        for seat in range(self.seats):
            self.active[seat] |= frozenset("123")
            self.spent[seat] -= frozenset("123")
        self.oya = self.turn = (self.buyer + 1) % self.seats
        self.day, self.auction, self.invested = self.day + 1, 1, None
        self.open = self.days[self.day - 1] if self.day <= 6 else []
