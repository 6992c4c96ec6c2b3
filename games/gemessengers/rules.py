"""Gemessengers on the contract; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import assert_never

from games.chance import Chance
from games.contract import Choice, Event, GameMeta, IllegalMove, Json, Message, Options, Outcome, Seat, Step
from games.fields import replace
from games.gemessengers import notation
from games.gemessengers.building import build_steps
from games.gemessengers.components import (
    DECK,
    ROUNDS,
    SUIT_NAMES,
    SUITS,
    WORKSHOP_SIZE,
)
from games.gemessengers.knowledge import know_nothing, redraw_hands
from games.gemessengers.picking import check_play, check_proclaim, list_open_rows, list_open_spots
from games.gemessengers.scoring import rank_scores, total_scores
from games.gemessengers.state import (
    Cards,
    Move,
    Picks,
    Play,
    Proclaim,
    State,
    View,
    can_pick,
    is_finished,
    is_over,
    piece_of,
)
from games.gemessengers.turn import begin_round, list_unfinished, reveal_picks
from games.turns import expect_running, find_only_move

MOST_SEATS = 5

META = GameMeta(
    slug="gemessengers",
    title="Gemessengers",
    designer="Stephen B. Thomas",
    year=2018,
    version=1,
    min_seats=2,
    max_seats=MOST_SEATS,
    max_plies=ROUNDS * (MOST_SEATS * WORKSHOP_SIZE + len(SUITS)),
    summary=Message("Pass hands on, craft jewelry, set the fashion"),
    usual_moves=20,
    weight="medium",
    contests=(Message("round {} turn {}"),),
    reconstructed=(
        Message("the patterns of the pendant and the scepter"),
        Message("the numbers on the proclamations"),
        Message("the names of two of the seven suits"),
    ),
    has_sealed_picks=True,
    has_hidden=True,
)


class Gemessengers:
    """The rules of Gemessengers."""

    meta = META
    state_type = State

    def deal(self, *, seats: int, options: Options, chance: Chance) -> State:
        decks: list[Cards] = []
        for _ in range(ROUNDS):
            cards = list(DECK)
            chance.shuffle(cards)
            decks.append(tuple(cards))
        return begin_round(1, seats, tuple(decks), results=())

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> State:
        return begin_round(1, seats, notation.read_deal(deal), results=())

    def write_deal(self, state: State) -> str:
        dealt = (*[card for hand in state.hands for card in hand], *state.pile)
        return notation.write_deal((dealt, *state.decks))

    def waiting_on(self, state: State) -> frozenset[Seat]:
        unpicked = [seat for seat in range(len(state.hands)) if not state.sealed.of(seat)]
        return frozenset([seat for seat in unpicked if can_pick(state, seat)])

    def legal_moves(self, state: State, seat: Seat) -> Iterator[Move]:
        if not can_pick(state, seat):
            return
        spots = list_open_spots(state, seat)
        rows = list_open_rows(state.guild)
        for card in dict.fromkeys(state.hands[seat]):
            if card in SUIT_NAMES:
                for spot in spots:
                    yield Play(card, spot)
            else:
                for length in range(1, len(rows) + 1):
                    for named in permutations(rows, length):
                        yield Proclaim(card[1], named)

    def apply(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        _expect_pick(state, seat)
        is_changed = state.sealed.of(seat) is not None
        plays, proclaims = list(state.sealed.plays), list(state.sealed.proclaims)
        match move:
            case Play():
                check_play(state, seat, move)
                plays[seat], proclaims[seat] = move, None
            case Proclaim():
                check_proclaim(state, seat, move)
                plays[seat], proclaims[seat] = None, move
            case _:
                assert_never(move)
        sealed = replace(state, sealed=Picks(tuple(plays), tuple(proclaims)))
        told = () if is_changed else (Event("picked", seat),)
        if self.waiting_on(sealed):
            data: dict[str, Json] = {"text": notation.write(move), "changed": is_changed}
            told = (*told, Event("pick", seat, data, audience=frozenset((seat,))))
            return Step(sealed, told, sealed=True)
        revealed = reveal_picks(sealed)
        return Step(revealed.state, (*told, *revealed.events))

    def outcome(self, state: State) -> Outcome | None:
        if not is_over(state):
            return None
        scores = total_scores(state)
        return Outcome(scores, rank_scores(scores))

    def standing(self, state: State) -> Sequence[int]:
        return total_scores(state)

    def ranks(self, state: State) -> Sequence[int]:
        return rank_scores(total_scores(state))

    def view(self, state: State, seat: Seat | None) -> View:
        seats = range(len(state.hands))
        return View(
            reader=seat,
            round=state.round,
            turn=state.turn,
            hand=() if seat is None else state.hands[seat],
            pick=None if seat is None else state.sealed.of(seat),
            hand_sizes=tuple(len(hand) for hand in state.hands),
            has_picked=tuple(state.sealed.of(other) is not None for other in seats),
            known=((),) * len(seats) if seat is None else state.known[seat],
            revealed=state.revealed,
            pile_size=len(state.pile),
            workshops=state.workshops,
            guild=state.guild,
            tokens=state.tokens,
            taken=state.taken,
            results=state.results,
        )

    def context(self, state: State) -> str | None:
        return None if is_over(state) else f"round {state.round} turn {state.turn}"

    def bidders(self, state: State) -> frozenset[Seat]:
        return frozenset(list_unfinished(state))

    def default_move(self, state: State, seat: Seat) -> Move:
        """The move for a player whose time is up (paragraph 32)."""
        card = state.hands[seat][0]
        if card in SUIT_NAMES:
            return Play(card, list_open_spots(state, seat)[0])
        return Proclaim(card[1], list_open_rows(state.guild))

    def forced_move(self, state: State) -> tuple[Seat, Move] | None:
        """The only pick that is possible, of the last seat that still crafts (paragraph 31).

        A pick made by the server before others have decided would tell them about the cards of who had no choice.
        """
        unfinished = list_unfinished(state)
        return find_only_move(self, state, unfinished[0]) if len(unfinished) == 1 else None

    def resample(self, state: State, seat: Seat | None, chance: Chance) -> State:
        """Redraw hidden cards and picks; the others' knowledge of hands they have passed on is left empty."""
        nothing = know_nothing(len(state.hands))
        if seat is None:
            own, known = nothing[0], nothing
        else:
            own = (*state.known[seat][:seat], state.hands[seat], *state.known[seat][seat + 1 :])
            known = (*nothing[:seat], state.known[seat], *nothing[seat + 1 :])
        hands, pile = redraw_hands(state.hands, state.pile, own, chance)
        decks = []
        for _ in state.decks:
            cards = list(DECK)
            chance.shuffle(cards)
            decks.append(tuple(cards))
        redrawn = replace(state, hands=hands, pile=pile, known=known, decks=tuple(decks))
        return replace(redrawn, sealed=self._redraw_picks(redrawn, seat, chance))

    def _redraw_picks(self, state: State, reader: Seat | None, chance: Chance) -> Picks:
        """Redraw the picks of the other seats that have picked: each is any legal move."""
        picks = [
            pick if seat == reader or pick is None else self.random_move(state, seat, chance)
            for seat, pick in enumerate(map(state.sealed.of, range(len(state.hands))))
        ]
        return Picks(
            tuple(pick if isinstance(pick, Play) else None for pick in picks),
            tuple(pick if isinstance(pick, Proclaim) else None for pick in picks),
        )

    def write(self, move: Move) -> str:
        return notation.write(move)

    def parse(self, state: State, seat: Seat, text: str) -> Move:
        return notation.parse(state, seat, text)

    def steps(self, state: State, seat: Seat, partial: str) -> Sequence[Choice]:
        return build_steps(state, seat, partial) if can_pick(state, seat) else ()

    def random_move(self, state: State, seat: Seat, chance: Chance) -> Move:
        hand = state.hands[seat]
        card = hand[chance.below(len(hand))]
        if card in SUIT_NAMES:
            spots = list_open_spots(state, seat)
            return Play(card, spots[chance.below(len(spots))])
        rows = list(list_open_rows(state.guild))
        chance.shuffle(rows)
        return Proclaim(card[1], tuple(rows[: 1 + chance.below(len(rows))]))


def _expect_pick(state: State, seat: Seat) -> None:
    expect_running(is_over=is_over(state))
    if is_finished(state.workshops[seat]):
        raise IllegalMove(
            "finished",
            "Your {piece} is finished: you pass your hand and take tokens without a move. Wait for the next round.",
            piece=piece_of(state).name,
        )
    if not state.hands[seat]:
        raise IllegalMove(
            "no-cards", "You hold no card in this turn. Wait for the hand that is passed to you."
        )


RULES = Gemessengers()
