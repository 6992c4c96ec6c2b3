"""Plays random matches with random plans and orders on the code under test, and keeps a diary of all texts sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from games.chance import Chance
from games.contract import Game, GameError, IllegalMove, Seat
from games.course import Course, Ending, Plan, PlanEnded, Played
from games.orders import Orders, check_order, read_orders
from games.registry import game

Sent = tuple[Literal["start", "move", "order", "plan", "expire"], Seat, str]


@dataclass
class Diary:
    """The texts that everybody sent, in order, and the record that came of them."""

    slug: str
    seats: int
    seed: str
    is_sealed: bool
    sent: list[Sent] = field(default_factory=list)
    record: list[tuple[Seat, str]] = field(default_factory=list)
    dropped: int = 0
    """Plans in whose line nothing was legal."""


def play_diary(
    slug: str, seats: int, number: int, *, is_sealed: bool = True, plans: int = 4, seed: str = ""
) -> Diary:
    """Play a whole match; one order in `plans` comes from a plan (0: none)."""
    entry = game(slug)
    seed = seed or f"{slug} {seats} {number} {is_sealed}"
    diary = Diary(slug, seats, seed, is_sealed)
    dice = Chance(seed, "players")
    options = {"pace": "sealed" if is_sealed else "table", "silver": "no"}
    state = entry.rules.deal(seats=seats, options=options, chance=Chance(seed, "deal"))
    course = Course(entry, state, 0, is_sealed, seed)
    _run(diary, course, ("start", 0, ""))
    while course.asked:
        asked = sorted(course.asked)
        _send(diary, course, asked[dice.below(len(asked))], dice, plans)
    return diary


def _send(diary: Diary, course: Course, seat: Seat, dice: Chance, plans: int) -> None:
    if plans and dice.below(plans) == 0:
        _plan(diary, course, dice.below(diary.seats), dice)
    elif course.contest is None:
        move = course.game.rules.random_move(course.state, seat, dice)
        diary.record.append((seat, course.game.rules.write(move)))
        course.play(seat, move)
        _run(diary, course, ("move", seat, diary.record[-1][1]))
    elif dice.below(12) == 0:
        course.place(seat, Orders(()))
        _run(diary, course, ("expire", seat, ""))
    else:
        laid = sorted(course.choosers) if dice.below(5) == 0 else [seat]
        _order(diary, course, laid[dice.below(len(laid))], dice)


def _order(diary: Diary, course: Course, seat: Seat, dice: Chance) -> None:
    """Place an order, perhaps in place of an earlier one; a refused one leaves everything as it was."""
    text = random_line(course.game, course.state, seat, dice)
    try:
        orders = read_orders(course.game, course.state, seat, text, is_sealed=True)
        check_order(course.game, course.state, seat, orders)
    except (IllegalMove, GameError):
        return
    course.place(seat, orders)
    _run(diary, course, ("order", seat, "; ".join(" else ".join(line) for line in orders.lines)))


def _plan(diary: Diary, course: Course, seat: Seat, dice: Chance) -> None:
    lines = [random_line(course.game, course.state, seat, dice) for _ in range(1 + dice.below(3))]
    text = "\n".join([*(["always"] if dice.below(3) == 0 else []), *lines])
    orders = read_orders(course.game, course.state, seat, text)
    try:
        course.store(seat, Plan(orders, course.game.rules.context(course.state)))
    except IllegalMove:
        return
    canonical = "\n".join(" else ".join(line) for line in orders.lines)
    _run(diary, course, ("plan", seat, ("always\n" if orders.is_always else "") + canonical))


def _run(diary: Diary, course: Course, sent: Sent) -> None:
    diary.sent.append(sent)
    for happening in course.run():
        match happening:
            case Played(seat=seat, move=move):
                diary.record.append((seat, course.game.rules.write(move)))
            case PlanEnded(ending=Ending.DROPPED):
                diary.dropped += 1


def random_line(entry: Game, state: Any, seat: Seat, dice: Chance) -> str:
    """Make a line of one to three alternatives: often legal, sometimes too low or high, or of another phase."""
    return " else ".join(islice(_alternatives(entry, state, seat, dice), 1 + dice.below(3)))


def _alternatives(entry: Game, state: Any, seat: Seat, dice: Chance) -> Iterator[str]:
    assert entry.sealed_pace is not None
    met = entry.sealed_pace.at_turn(state, seat) if entry.rules.bidders(state) else None
    while True:
        kind = dice.below(6)
        if kind < 3 and met is not None:
            yield entry.rules.write(entry.rules.random_move(met, seat, dice))
        elif kind == 3 and entry.rules.meta.slug == "jewellers":
            yield f"up to {2 + dice.below(30)}"
        elif kind == 4 and entry.rules.meta.slug == "jewellers":
            yield f"draw {('small', 'medium', 'large')[dice.below(3)]}"
        elif kind == 4:
            card, coin = state.open[dice.below(len(state.open))] if state.open else "SR", 1 + dice.below(3)
            yield f"take {card} pay {coin}"
        elif kind == 5:
            yield "pass"
        else:
            yield f"bid {2 + dice.below(9)}"
