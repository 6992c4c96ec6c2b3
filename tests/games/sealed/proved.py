"""Writes records of random matches with everything that proves them, as the server does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from games import deal
from games.chance import Chance
from games.contract import Seat
from games.course import Course, OrderedByPlan, Plan, Played, Why
from games.orders import Orders, read_orders, write_orders
from games.record import MoveLine, Record, SealedLine, read_record, write_options, write_record
from games.record_headers import read_options
from games.registry import game
from games.replay import replay
from tests.games.sealed.diaries import Diary, play_diary

CODE = "M17"
SERVER_PART = "5e" * 32
TAGS = {Why.OWN: "", Why.ORDER: "", Why.PLAN: "plan", Why.FORCED: "auto"}


@lru_cache
def prove(slug: str, seats: int, number: int) -> Record:
    """The record of a whole match at sealed pace, or of one with sealed picks, with the lines that it has as text."""
    meta = game(slug).rules.meta
    options = write_options(meta, {} if meta.has_sealed_picks else {"pace": "sealed"}, seats)
    parts = tuple(deal.given_part(f"{slug} {number} {seat}") for seat in range(seats))
    seed = deal.seed(SERVER_PART, parts)
    if meta.has_sealed_picks:
        written = play_picks(slug, seats, seed)
    else:
        written = follow(play_diary(slug, seats, number, seed=seed))
    record = Record(
        game=slug,
        version=meta.version,
        players=("Ana", "Bob", "Cy", "Dee", "Eve")[:seats],
        options=options,
        match=CODE,
        commitment=deal.commitment(CODE, slug, meta.version, options, SERVER_PART),
        server_part=SERVER_PART,
        parts=parts,
        seed=seed,
        moves=tuple(written.moves),
        sealed=tuple(written.sealed),
    )
    played = replay(record)
    assert played.ended
    assert played.refusal is None
    record = replace(record, ending="played out", result=tuple(played.scores))
    return read_record(write_record(record))


@dataclass
class Written:
    """Move lines and sealed orders, in the order in which they come."""

    moves: list[MoveLine] = field(default_factory=list)
    sealed: list[SealedLine] = field(default_factory=list)
    versions: Counter[tuple[str, Seat]] = field(default_factory=Counter)

    def seal(self, contest: str, seat: Seat, text: str) -> None:
        """Write the next version of the order; one without a text only takes a number, as when time has run out."""
        self.versions[contest, seat] += 1
        version = self.versions[contest, seat]
        if text:
            self.sealed.append(seal(contest, seat, version, text))


def seal(contest: str, seat: Seat, version: int, text: str) -> SealedLine:
    """A sealed order with its hash."""
    salt = f"{version:032x}"
    value = deal.sealed_hash(CODE, contest, seat, version, salt, text)
    return SealedLine(contest, seat, version, value, salt, text)


def follow(diary: Diary) -> Written:
    """Play the diary; note who played each move, and every version of every order."""
    entry = game(diary.slug)
    options = {"pace": "sealed", "silver": "no"}
    state = entry.rules.deal(seats=diary.seats, options=options, chance=Chance(diary.seed, "deal"))
    course = Course(entry, state, 0, True, diary.seed)
    written = Written()
    for kind, seat, text in diary.sent:
        match kind:
            case "move":
                move = entry.rules.parse(course.state, seat, text)
                course.play(seat, move)
                written.moves.append(MoveLine(seat, text))
            case "order" | "expire":
                orders = Orders(())
                if kind == "order":
                    orders = read_orders(entry, course.state, seat, text, is_sealed=True)
                course.place(seat, orders)
                written.seal(course.contest or "", seat, write_orders(orders))
            case "plan":
                orders = read_orders(entry, course.state, seat, text)
                course.store(seat, Plan(orders, entry.rules.context(course.state)))
        _run(course, written)
    return written


def _run(course: Course, written: Written) -> None:
    for happening in course.run():
        match happening:
            case OrderedByPlan(seat, orders):
                written.seal(course.contest or "", seat, write_orders(orders))
            case Played(seat=seat, move=move, why=Why.DEFAULT):
                tag = "auto" if course.sealed[seat].orders.lines else "clock"
                written.moves.append(MoveLine(seat, course.game.rules.write(move), tag))
            case Played(seat=seat, move=move, why=why):
                written.moves.append(MoveLine(seat, course.game.rules.write(move), TAGS[why]))


def play_picks(slug: str, seats: int, seed: str) -> Written:
    """Play a match in which all pick at once, change their minds, and sometimes let the clock pick."""
    rules = game(slug).rules
    dice = Chance(seed, "players")
    state: Any = rules.deal(
        seats=seats, options=read_options(rules.meta, "", seats), chance=Chance(seed, "deal")
    )
    written = Written()
    while waiting := sorted(rules.waiting_on(state)):
        contest = rules.context(state) or ""
        if forced := rules.forced_move(state):
            seat, move, tag = *forced, "auto"
        else:
            may = [other for other in range(seats) if next(rules.legal_moves(state, other), None)]
            seat = (may if dice.below(4) == 0 else waiting)[0]
            tag = "clock" if dice.below(6) == 0 else ""
            move = rules.default_move(state, seat) if tag else rules.random_move(state, seat, dice)
            written.seal(contest, seat, rules.write(move))
        written.moves.append(MoveLine(seat, rules.write(move), tag))
        state = rules.apply(state, seat, move, Chance(seed, f"ply {len(written.moves)}")).state
    return written
