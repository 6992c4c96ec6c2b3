"""Keeps the books of a match a second time, deliberately plainly, from RULES.md without the code of the game.

Cards lie as cells: a workshop is a dictionary from (row counted from the first gem, place) to gem. The only thing
it shares with the game is the text of the moves.
"""

from __future__ import annotations

from itertools import product

NAMES = {
    "amethyst": "A",
    "citrine": "C",
    "diamond": "D",
    "emerald": "E",
    "ruby": "R",
    "sapphire": "S",
    "topaz": "T",
}
NUMBERS = "ACDERST"
ROWS = ["headstone", "decoration", "base"]
PATTERNS = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
LEFTWARD = [True, False, True]


class Referee:
    """Plays texts; every figure is recomputed from the lists that lie on the table."""

    def __init__(self, deal: str, seats: int) -> None:
        self.decks = [part.split(":")[1].split() for part in deal.split(";")]
        self.seats = seats
        self.totals = [0] * seats
        self.round = 0
        self.over = False
        self.set_up_round()

    def set_up_round(self) -> None:
        deck = list(self.decks[self.round])
        self.hands = [[deck.pop(0) for _ in range(6)] for _ in range(self.seats)]
        self.pile = deck
        self.heights: list[dict[int, list[str]]] = [{} for _ in range(self.seats)]
        self.guild: list[list[str]] = [[], [], []]
        self.tokens = [3, 3, 3]
        self.taken = [0] * self.seats
        self.picks: dict[int, list[str]] = {}
        self.turn = 1

    def is_done(self, seat: int) -> bool:
        return sum(map(len, self.heights[seat].values())) == 6

    def waiting(self) -> set[int]:
        if self.over:
            return set()
        return {
            seat
            for seat in range(self.seats)
            if not self.is_done(seat) and self.hands[seat] and seat not in self.picks
        }

    def play(self, seat: int, text: str) -> None:
        self.picks[seat] = text.split()
        while not self.over and not self.waiting():
            self.carry_out()

    def carry_out(self) -> None:
        resting = [seat for seat in range(self.seats) if self.is_done(seat)]
        heralds = []
        for seat, words in self.picks.items():
            suit = NAMES[words[1]]
            if words[0] == "play":
                self.hands[seat].remove(suit)
                self.add_gem(seat, suit, " ".join(words[2:]))
            else:
                self.hands[seat].remove("*" + suit)
                heralds.append((NUMBERS.index(suit), seat, suit, words[2:]))
        for _, seat, suit, rows in sorted(heralds):
            for name in rows + ROWS:
                row = ROWS.index(name)
                if len(self.guild[row]) < 3:
                    self.guild[row].append(suit)
                    if self.tokens[row] > 0:
                        self.tokens[row] -= 1
                        self.taken[seat] += 1
                    break
        for seat in sorted(resting, key=lambda one: self.totals[one]):
            if any(self.tokens):
                self.tokens[self.tokens.index(max(self.tokens))] -= 1
                self.taken[seat] += 1
        self.picks = {}
        if all(self.is_done(seat) for seat in range(self.seats)):
            self.count_round()
            return
        self.turn += 1
        if LEFTWARD[self.round]:
            self.hands.insert(0, self.hands.pop())
        else:
            self.hands.append(self.hands.pop(0))
        for hand in self.hands:
            while len(hand) < 6 and self.pile:
                hand.append(self.pile.pop(0))

    def add_gem(self, seat: int, suit: str, where: str) -> None:
        rows = self.heights[seat]
        if where == "above":
            rows[min(rows) - 1] = [suit]
        elif where == "below":
            rows[max(rows) + 1] = [suit]
        elif where:
            rows[sorted(rows)[int(where[4:]) - 1]].append(suit)
        else:
            rows[0] = [suit]

    def count_round(self) -> None:
        points = self.points()
        self.totals = [total + more for total, more in zip(self.totals, points, strict=True)]
        self.round += 1
        if self.round == 3:
            self.over = True
        else:
            self.set_up_round()

    def slides(self, seat: int) -> list[int]:
        """Every shift that puts the workshop's rows on rows of the pattern without too many gems anywhere."""
        rows = self.heights[seat]
        return [
            shift
            for shift in range(-6, 7)
            if all(
                0 <= height + shift < 3 and len(gems) <= PATTERNS[self.round][height + shift]
                for height, gems in rows.items()
            )
        ]

    def points(self) -> list[int]:
        """Tokens and gems of this round."""
        points = []
        for seat in range(self.seats):
            slides = self.slides(seat)
            value = self.taken[seat]
            for height, gems in self.heights[seat].items():
                for gem in gems:
                    row = height + slides[0] if len(slides) == 1 else None
                    if row is not None and gem in self.guild[row]:
                        value += 5 - len(self.guild[row])
                    else:
                        value += 1
            points.append(value)
        return points

    def standing(self) -> list[int]:
        if self.over:
            return self.totals
        return [total + more for total, more in zip(self.totals, self.points(), strict=True)]

    def legal(self, seat: int) -> set[str]:
        """Every text the seat may send, found by trying all that can be written."""
        if self.over or self.is_done(seat):
            return set()
        texts = set()
        for name, suit in NAMES.items():
            if suit in self.hands[seat]:
                for where in ("", "above", "below", "row 1", "row 2", "row 3"):
                    if self.fits(seat, suit, where):
                        texts.add(f"play {name} {where}".strip())
            if "*" + suit in self.hands[seat]:
                for length in (1, 2, 3):
                    for rows in product(ROWS, repeat=length):
                        named = [len(self.guild[ROWS.index(row)]) < 3 for row in rows]
                        if all(named) and len(set(rows)) == length:
                            texts.add(f"proclaim {name} {' '.join(rows)}")
        return texts

    def fits(self, seat: int, suit: str, where: str) -> bool:
        before = self.heights[seat]
        if (not before) != (where == ""):
            return False
        if where.startswith("row") and int(where[4:]) > len(before):
            return False
        self.heights[seat] = {height: list(gems) for height, gems in before.items()}
        self.add_gem(seat, suit, where)
        fits = bool(self.slides(seat))
        self.heights[seat] = before
        return fits
