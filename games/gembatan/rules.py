"""Gembatan on the contract; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from games.chance import Chance
from games.contract import (
    Choice,
    GameMeta,
    InvalidMove,
    Message,
    Options,
    Outcome,
    Seat,
    Step,
)
from games.fields import replace
from games.gembatan import notation
from games.gembatan.building import build_steps
from games.gembatan.components import GEMS, HAND, IDLE_ROUNDS, TILES
from games.gembatan.play import play_pass, play_steps, play_trade
from games.gembatan.scoring import count_points, rank_points
from games.gembatan.state import Codes, LaidTile, Move, Pass, Play, State, Trade, View
from games.gembatan.trades import can_trade, choose_trade, draw_trade, list_trades
from games.gembatan.turn import begin_turn, draw_play, list_plays, rank_steps
from games.reading import lower
from games.turns import expect_turn, find_only_move

MOST_SEATS = 4
META = GameMeta(
    slug="gembatan",
    title="Gembatan",
    designer="Don Reid",
    year=2019,
    version=1,
    min_seats=2,
    max_seats=MOST_SEATS,
    max_plies=len(GEMS) * IDLE_ROUNDS * MOST_SEATS,
    summary=Message("Chain gems across a floor of tiles that grows"),
    usual_moves=15,
    weight="medium",
    reconstructed=(
        Message("the colours and the cutouts of the tiles"),
        Message("the colours of the gems and how many there are of each"),
    ),
    has_hidden=True,
)

TRADES_OF_RANDOM_MOVES = 8
"""One random move in so many is a trade, although a play is possible."""


class Gembatan:
    """The rules of Gembatan."""

    meta = META
    state_type = State

    def deal(self, *, seats: int, options: Options, chance: Chance) -> State:
        tiles, gems = list(TILES), list(GEMS)
        chance.shuffle(tiles)
        chance.shuffle(gems)
        return _set_up(seats, tuple(tiles), tuple(gems), first=chance.below(seats))

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> State:
        tiles, gems = _read_deal(deal)
        if sorted(tiles) != sorted(TILES) or sorted(gems) != sorted(GEMS):
            raise _bad_deal()
        return _set_up(seats, tiles, gems, first)

    def write_deal(self, state: State) -> str:
        seats = len(state.points)
        order = [(state.turn + place) % seats for place in range(seats)]
        tiles = [state.tiles[0].code, *(code for seat in order for code in state.tile_hands[seat])]
        gems = [code for seat in order for code in state.gem_hands[seat]]
        return f"tiles: {' '.join([*tiles, *state.tile_tray])} ; gems: {' '.join([*gems, *state.gem_tray])}"

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return frozenset() if state.is_over else frozenset((state.turn,))

    def legal_moves(self, state: State, seat: Seat) -> Iterator[Move]:
        """Yield the moves in ASCII order of their texts; steps in another order are another move (paragraph 28)."""
        if state.is_over or seat != state.turn:
            return
        idle = not can_trade(state)
        for play in list_plays(begin_turn(state, seat)):
            idle = False
            yield play
        if idle:
            yield Pass()
        yield from list_trades(state)

    def apply(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        expect_turn(seat, state.turn, is_over=state.is_over)
        match move:
            case Play(steps):
                return play_steps(state, steps)
            case Trade():
                return play_trade(state, move, chance)
            case Pass():
                return play_pass(state)
            case _:
                assert_never(move)

    def outcome(self, state: State) -> Outcome | None:
        if not state.is_over:
            return None
        scores = count_points(state)
        return Outcome(scores, rank_points(scores))

    def standing(self, state: State) -> Sequence[int]:
        return count_points(state)

    def ranks(self, state: State) -> Sequence[int]:
        return rank_points(count_points(state))

    def view(self, state: State, seat: Seat | None) -> View:
        return View(
            reader=seat,
            turn=state.turn,
            is_over=state.is_over,
            tiles=state.tiles,
            gems=state.gems,
            latest=state.latest,
            tile_hands=state.tile_hands,
            gem_hands=state.gem_hands,
            tiles_left=len(state.tile_tray),
            gems_left=len(state.gem_tray),
            points=state.points,
            idle=state.idle,
        )

    def context(self, state: State) -> str | None:
        return None

    def bidders(self, state: State) -> frozenset[Seat]:
        return frozenset()

    def default_move(self, state: State, seat: Seat) -> Move:
        """The move for a player whose time is up (paragraph 29)."""
        steps = rank_steps(begin_turn(state, seat))
        if steps:
            return Play((steps[0],))
        return choose_trade(state) if can_trade(state) else Pass()

    def forced_move(self, state: State) -> tuple[Seat, Move] | None:
        """The only move that is possible (paragraph 30)."""
        return find_only_move(self, state, state.turn)

    def resample(self, state: State, seat: Seat | None, chance: Chance) -> State:
        tiles, gems = sorted(state.tile_tray), sorted(state.gem_tray)
        chance.shuffle(tiles)
        chance.shuffle(gems)
        return replace(state, tile_tray=tuple(tiles), gem_tray=tuple(gems))

    def write(self, move: Move) -> str:
        return notation.write(move)

    def parse(self, state: State, seat: Seat, text: str) -> Move:
        return notation.parse(state, seat, text)

    def steps(self, state: State, seat: Seat, partial: str) -> Sequence[Choice]:
        return build_steps(state, seat, partial)

    def random_move(self, state: State, seat: Seat, chance: Chance) -> Move:
        tradable = can_trade(state)
        if tradable and chance.below(TRADES_OF_RANDOM_MOVES) == 0:
            return draw_trade(state, chance)
        play = draw_play(begin_turn(state, seat), chance)
        if play is not None:
            return play
        return draw_trade(state, chance) if tradable else Pass()


def _set_up(seats: int, tiles: Codes, gems: Codes, first: Seat) -> State:
    """The first position with the pieces in the order in which they are drawn (paragraphs 5 to 7)."""
    dealt = range(0, HAND * seats, HAND)
    in_turn_order = [(seat - first) % seats for seat in range(seats)]
    tile_hands = [tuple(sorted(tiles[1 + start : 1 + start + HAND])) for start in dealt]
    gem_hands = [tuple(sorted(gems[start : start + HAND])) for start in dealt]
    return State(
        turn=first,
        is_over=False,
        tiles=(LaidTile((0, 0), tiles[0], "N"),),
        gems=(),
        latest=(0, 0),
        tile_hands=tuple(tile_hands[place] for place in in_turn_order),
        gem_hands=tuple(gem_hands[place] for place in in_turn_order),
        tile_tray=tiles[1 + HAND * seats :],
        gem_tray=gems[HAND * seats :],
        points=(0,) * seats,
        idle=0,
    )


def _read_deal(deal: str) -> tuple[Codes, Codes]:
    tiles, _, gems = lower(deal).partition(";")
    tile_words, gem_words = tiles.split(), gems.split()
    if tile_words[:1] != ["tiles:"] or gem_words[:1] != ["gems:"]:
        raise _bad_deal()
    return notation.read_tiles(tile_words[1:]), notation.read_gems(gem_words[1:])


def _bad_deal() -> InvalidMove:
    return InvalidMove("bad-deal", "A deal of Gembatan is “tiles: … ; gems: …” with 60 codes each.")


RULES = Gembatan()
