"""Florentine Domino on the contract; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import assert_never

from games.chance import Chance
from games.contract import Choice, GameMeta, InvalidMove, Message, Option, Options, Outcome, Seat, Step
from games.fields import replace
from games.florentine import notation
from games.florentine.building import build_steps
from games.florentine.components import CARD_CODES, COLOURS, HAND, POOL, sort_cards
from games.florentine.play import play_black, play_decline, play_discard, play_place
from games.florentine.scoring import (
    count_gems,
    find_closed_room,
    find_triangle,
    list_walls,
    rank_seats_by_gems,
    score_seats,
)
from games.florentine.square import (
    CELLS,
    CENTRE,
    EMPTY_SQUARE,
    LOOKS,
    fitting_looks,
    list_black_edges,
    list_placements,
    open_cells,
)
from games.florentine.state import Black, Cards, Decline, Discard, Move, Phase, Place, State, View
from games.reading import lower
from games.turns import expect_turn, find_only_move

META = GameMeta(
    slug="florentine",
    title="Florentine Domino",
    designer="Ferdinand Hein",
    year=None,
    version=1,
    min_seats=2,
    max_seats=4,
    max_plies=32 + 47 + 4,
    summary=Message("Shut your gems into rooms of your own colour"),
    usual_moves=15,
    weight="medium",
    options=(
        Option(
            "colours",
            tuple("".join(letters) for letters in permutations(COLOURS)),
            "The colours of the seats, from seat A on.",
            per_seat=True,
        ),
    ),
    reconstructed=(Message("the faces of the 48 cards"), Message("which of the cards carry a gem")),
    has_hidden=True,
)


class Florentine:
    """The rules of Florentine Domino."""

    meta = META
    state_type = State

    def deal(self, *, seats: int, options: Options, chance: Chance) -> State:
        cards = list(CARD_CODES)
        chance.shuffle(cards)
        return _deal_cards(seats, options, tuple(cards), first=chance.below(seats))

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> State:
        cards = tuple(lower(deal).split())
        if sorted(cards) != sorted(CARD_CODES):
            raise InvalidMove("bad-deal", "A deal of Florentine Domino names each of the 48 cards once.")
        return _deal_cards(seats, options, cards, first)

    def write_deal(self, state: State) -> str:
        return " ".join([card for cards in (*state.hands, state.pool, state.pile) for card in cards])

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return frozenset() if state.phase is Phase.OVER else frozenset((state.turn,))

    def legal_moves(self, state: State, seat: Seat) -> Iterator[Move]:
        if seat != state.turn:
            return
        match state.phase:
            case Phase.HANDS:
                yield from list_placements(state.square, state.hands[seat])
                if state.square[CENTRE]:
                    for card in sort_cards(state.hands[seat]):
                        yield Discard(card)
            case Phase.POOL:
                yield from list_placements(state.square, state.pool)
            case Phase.BLACK:
                yield from list_black_edges(state.square, state.colours[seat])
                yield Decline()
            case Phase.OVER:
                return
            case _:
                assert_never(state.phase)

    def apply(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        expect_turn(seat, state.turn, is_over=state.phase is Phase.OVER)
        match move:
            case Place():
                return play_place(state, move.card, move.cell, move.facing)
            case Discard():
                return play_discard(state, move.card)
            case Black():
                return play_black(state, move.cell, move.edge)
            case Decline():
                return play_decline(state)
            case _:
                assert_never(move)

    def outcome(self, state: State) -> Outcome | None:
        if state.phase is not Phase.OVER:
            return None
        scores = score_seats(state.colours, state.square, state.blacks)
        return Outcome(scores, rank_seats_by_gems(scores))

    def standing(self, state: State) -> Sequence[int]:
        return score_seats(state.colours, state.square, state.blacks)

    def ranks(self, state: State) -> Sequence[int]:
        return rank_seats_by_gems(self.standing(state))

    def view(self, state: State, seat: Seat | None) -> View:
        return View(
            reader=seat,
            phase=state.phase,
            turn=state.turn,
            colours=state.colours,
            square=state.square,
            hand=() if seat is None else sort_cards(state.hands[seat]),
            hand_sizes=tuple(len(hand) for hand in state.hands),
            pool=sort_cards(state.pool),
            pile_size=len(state.pile),
            blacks=state.blacks,
            answered=state.answered,
        )

    def context(self, state: State) -> str | None:
        """None always: a plan holds for the seat's next turn."""
        return None

    def bidders(self, state: State) -> frozenset[Seat]:
        return frozenset()

    def default_move(self, state: State, seat: Seat) -> Move:
        """The move for a player whose time is up (paragraph 26)."""
        match state.phase:
            case Phase.HANDS if state.square[CENTRE]:
                return Discard(sort_cards(state.hands[seat])[0])
            case Phase.HANDS:
                return next(list_placements(state.square, state.hands[seat]))
            case Phase.POOL:
                return next(list_placements(state.square, state.pool))
            case Phase.BLACK | Phase.OVER:
                return _best_black(state, seat)
            case _:
                assert_never(state.phase)

    def forced_move(self, state: State) -> tuple[Seat, Move] | None:
        """The only move that is possible (paragraph 25)."""
        if state.phase is Phase.HANDS:
            return None  # a hand has four different cards, each of which may be played
        return find_only_move(self, state, state.turn)

    def resample(self, state: State, seat: Seat | None, chance: Chance) -> State:
        theirs = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
        hidden = list(sort_cards([*theirs, *state.pile]))
        chance.shuffle(hidden)
        hands = []
        for other, hand in enumerate(state.hands):
            if other == seat:
                hands.append(hand)
            else:
                hands.append(tuple(hidden[: len(hand)]))
                del hidden[: len(hand)]
        return replace(state, hands=tuple(hands), pile=tuple(hidden))

    def write(self, move: Move) -> str:
        return notation.write(move)

    def parse(self, state: State, seat: Seat, text: str) -> Move:
        return notation.parse(state, seat, text)

    def steps(self, state: State, seat: Seat, partial: str) -> Sequence[Choice]:
        if seat != state.turn or state.phase is Phase.OVER:
            return ()
        return build_steps(state, self.legal_moves(state, seat), partial)

    def random_move(self, state: State, seat: Seat, chance: Chance) -> Move:
        match state.phase:
            case Phase.HANDS:
                hand = state.hands[seat]
                placed = None
                if not state.square[CENTRE] or chance.below(HAND + 1):
                    placed = _random_placement(state, hand, chance)
                return placed or Discard(hand[chance.below(len(hand))])
            case Phase.POOL:
                return _random_placement(state, state.pool, chance) or Decline()
            case Phase.BLACK | Phase.OVER:
                blacks = list(list_black_edges(state.square, state.colours[seat]))
                drawn = chance.below(len(blacks) + 1)
                return blacks[drawn - 1] if drawn else Decline()
            case _:
                assert_never(state.phase)


def _deal_cards(seats: int, options: Options, cards: Cards, first: Seat) -> State:
    """The first position: hands, pool and pile in the order of the cards (paragraphs 7 to 9)."""
    pool = seats * HAND
    pile = pool + POOL[seats]
    return State(
        phase=Phase.HANDS,
        turn=first,
        colours=options.get("colours", COLOURS[:seats]),
        square=EMPTY_SQUARE,
        hands=tuple(cards[seat * HAND : (seat + 1) * HAND] for seat in range(seats)),
        pool=cards[pool:pile],
        pile=cards[pile:],
        blacks=(None,) * seats,
        answered=0,
    )


def _best_black(state: State, seat: Seat) -> Move:
    """Choose the edge at which the black card shuts in most gems of the seat's own (paragraph 26).

    Of equal edges the first.
    """
    best: Move = Decline()
    most = 0
    walls = list_walls(state.blacks)
    for black in list_black_edges(state.square, state.colours[seat]):
        triangle = find_triangle(black.cell, black.edge)
        room = find_closed_room(state.square, walls | {triangle}, triangle)
        gems = count_gems(state.square, room or ())
        if gems > most:
            best, most = black, gems
    return best


def _random_placement(state: State, cards: Cards, chance: Chance) -> Place | None:
    """Any legal placement of one of these cards; None when there is none."""
    opened = [(cell, fitting_looks(need)) for cell, need in open_cells(state.square).items()]
    found = [(cell, card, fitting) for cell, fitting in opened for card in cards if card in fitting]
    if not found:
        return None
    cell, card, fitting = found[chance.below(len(found))]
    looks = fitting[card]
    return Place(card, CELLS[cell], LOOKS[card][looks[chance.below(len(looks))]])


RULES = Florentine()
