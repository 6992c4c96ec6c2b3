"""Keeps the books of a match a second time, deliberately plainly, from RULES.md without the code of the game.

The only thing it shares with the game is the text of the moves. It tries every subset of a hand where the game has a
table, and asks the seats round the table one by one where the game looks for the next.
"""

from __future__ import annotations

from itertools import chain, combinations

COLOURS = "REPSL"
VALUES = dict(
    zip(
        ["Ss", "Rs", "Es", "Ps", "Sm", "Rm", "Em", "Pm", "Sl", "Ls", "Rl", "El", "Pl", "Lm", "Ll"],
        [3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 7],
        strict=True,
    )
)
BONUSES = {"Es Em": 1, "Ss Sm": 2, "Rm Rl": 3, "Ls Lm Ll": 5, "Rs Es Ps": 6}


class Table:
    """A match on a table; everything lies open and is changed in place."""

    def __init__(self, seats: int, deal: str, first: int, *, silver: bool, ages: list[int]) -> None:
        self.seats = seats
        self.bag = {part.split(":")[0].strip(): part.split(":")[1].split() for part in deal.split(";")}
        self.hand = [set(range(2, 11)) for _ in range(seats)]
        self.down: list[set[int]] = [set() for _ in range(seats)]
        self.gems: list[list[str]] = [[] for _ in range(seats)]
        self.pieces: list[list[int]] = [[] for _ in range(seats)]
        self.tower = [1, 2, 3] if silver else []
        self.junction = ""
        self.starter = self.turn = first
        self.asking = "silver" if silver else "draw"
        self.gem = ""
        self.inside: list[int] = []
        self.first_pass: int | None = None
        self.drawn = 0
        self.ages = ages

    def legal(self) -> set[str]:
        """All texts that the seat to act may write."""
        if self.asking == "draw":
            return {f"draw {size}" for size, colours in self.bag.items() if colours}
        if self.asking == "silver":
            places = {f"silver {column}{row}" for column in "REPS" for row in "3456"}
            return places | ({"silver stay"} if self.junction else set())
        if self.asking == "bid":
            bids = {f"bid {' '.join(map(str, sorted(cards)))}" for cards in self.winning_sets()}
            nobody = not any(self.down)
            return bids if nobody and self.turn == self.starter else bids | {"pass"}
        return set()

    def winning_sets(self) -> list[set[int]]:
        """Every set of cards that would take the seat to act above all others."""
        hand = sorted(self.hand[self.turn])
        subsets = chain.from_iterable(combinations(hand, size) for size in range(1, len(hand) + 1))
        highest = max(sum(cards) for cards in self.down)
        return [set(cards) for cards in subsets if sum(cards) + sum(self.down[self.turn]) > highest]

    def up_to(self, limit: int) -> str | None:
        """Find the bid that `up to` stands for, by throwing out worse sets, rule by rule (paragraph 22)."""
        before = sum(self.down[self.turn])
        left = [sorted(cards) for cards in self.winning_sets() if sum(cards) + before <= limit]
        if not left:
            return None
        left = [cards for cards in left if sum(cards) == min(map(sum, left))]
        left = [cards for cards in left if len(cards) == min(map(len, left))]
        for place in range(1, len(left[0]) + 1):
            lowest = min(cards[-place] for cards in left)
            left = [cards for cards in left if cards[-place] == lowest]
        assert len(left) == 1
        return "bid " + " ".join(map(str, left[0]))

    def play(self, text: str) -> None:
        """Play one move of the seat to act; it must be legal."""
        assert text in self.legal()
        word, *rest = text.split()
        if word == "silver":
            if rest != ["stay"]:
                self.junction = rest[0]
            self.ask_for_size()
        elif word == "draw":
            self.gem = self.bag[rest[0]].pop(0) + rest[0][0]
            self.drawn += 1
            order = [(self.starter + place) % self.seats for place in range(self.seats)]
            self.inside = [seat for seat in order if self.hand[seat]]
            self.first_pass = None
            self.asking = "bid"
            if self.inside:
                self.turn = self.inside[0]
            else:
                self.finish(None)
        elif word == "bid":
            cards = set(map(int, rest))
            self.hand[self.turn] -= cards
            self.down[self.turn] |= cards
            self.pass_on()
        else:
            if self.first_pass is None:
                self.first_pass = self.turn
            following = self.inside.index(self.turn) + 1
            self.inside = self.inside[following:] + self.inside[: following - 1]
            self.pass_on(gone=True)

    def pass_on(self, *, gone: bool = False) -> None:
        """Go on to the next seat of the ring of seats that are in the auction."""
        if not gone:
            following = self.inside.index(self.turn) + 1
            self.inside = self.inside[following:] + self.inside[:following]
        if not self.inside:
            self.finish(None)
        elif len(self.inside) == 1 and self.down[self.inside[0]]:
            self.finish(self.inside[0])
        else:
            self.turn = self.inside[0]

    def finish(self, buyer: int | None) -> None:
        for seat in range(self.seats):
            if seat != buyer:
                self.hand[seat] |= self.down[seat]
            self.down[seat] = set()
        next_starter = (self.starter + 1) % self.seats if self.first_pass is None else self.first_pass
        self.starter = next_starter
        gem, self.gem = self.gem, ""
        if buyer is not None:
            self.gems[buyer].append(gem)
            if self.tower and self.touches(gem):
                self.pieces[buyer].append(self.tower.pop(0))
                if self.tower and self.drawn < 15:
                    self.asking, self.turn = "silver", buyer
                    return
        self.ask_for_size()

    def touches(self, gem: str) -> bool:
        columns = COLOURS[COLOURS.index(self.junction[0]) :][:2]
        return gem[0] in columns and VALUES[gem] - int(self.junction[1]) in (0, 1)

    def ask_for_size(self) -> None:
        self.asking, self.turn = ("draw" if self.drawn < 15 else "over"), self.starter

    def counts(self, seat: int) -> tuple[int, int, int, int, int]:
        """Score, points without bonuses, gems, cards, age."""
        cards = len(self.hand[seat]) + len(self.down[seat])
        plain = sum(VALUES[gem] for gem in self.gems[seat]) + cards
        bonus = sum(points for gems, points in BONUSES.items() if set(gems.split()) <= set(self.gems[seat]))
        bonus += sum(self.pieces[seat]) + (4 if len(self.pieces[seat]) == 3 else 0)
        return plain + bonus, plain, len(self.gems[seat]), cards, self.ages[seat] if self.ages else 0

    def scores(self) -> list[int]:
        return [self.counts(seat)[0] for seat in range(self.seats)]

    def ranks(self) -> list[int]:
        """Rank the seats by comparing every pair, criterion by criterion."""
        ranks = [1] * self.seats
        for one in range(self.seats):
            for other in range(self.seats):
                for mine, theirs in zip(self.counts(one), self.counts(other), strict=True):
                    if mine != theirs:
                        ranks[one] += mine < theirs
                        break
        return ranks
