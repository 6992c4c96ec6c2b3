"""Verifies that a finished match was dealt and played as its record says, by working everything out again.

Lines that nothing but the record itself vouches for, such as the moves of a moderator, are listed for a person to
look at.

>>> from dataclasses import replace
>>> from games.match import Match
>>> server_part = "5e" * 32
>>> parts = (deal.given_part("four words of mine"), deal.default_part(server_part, 1))
>>> match = Match.new("gem", players=["Ana", "Bob"], seed=deal.seed(server_part, parts))
>>> while not match.is_over:
...     events = match.play_forced() or match.play_bot("random")
>>> committed = deal.commitment("M17", "gem", 1, "pace=table", server_part)
>>> record = replace(match.record(), match="M17", commitment=committed, server_part=server_part, parts=parts)
>>> verify(record).is_complete
True
>>> verify(replace(record, match="M18"))  # doctest: +ELLIPSIS
Traceback (most recent call last):
games.verify.NotVerified: not verified (commitment): Commitment: should be ...
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice

from games import deal
from games.chance import NO_SEED, Chance
from games.contract import GameError, Seat, seat_letter
from games.orders import Orders, UnreadableOrder, find_legal, read_orders
from games.record import MoveLine, Record, SealedLine
from games.record_headers import UnreadableRecord, in_line, read_options
from games.registry import game
from games.replay import Replay, begin, play_line, replay

CLOCK, MODERATOR = "clock", "moderator"
MOST_VERSIONS = 20
"""The most missing versions that are named, for their numbers are the record's own claim."""


class NotVerified(GameError):
    """Something in a record does not fit the rest; the message names it."""

    kind = "not verified"


@dataclass(frozen=True, slots=True)
class Gap:
    """Sealed orders of a seat for one contest that the record lacks, so that its moves there are not proved."""

    context: str
    seat: Seat
    lines: tuple[int, ...] = ()
    """Moves for which there is no order."""
    versions: tuple[int, ...] = ()
    """Earlier versions of the order that are missing: taken back with their contest, empty (the clock's), or lost."""


@dataclass(frozen=True, slots=True)
class Verified(Replay):
    """A record in which nothing contradicts the rest, and what could not be checked in it.

    Lines are numbered as in the text that was read.
    """

    gaps: tuple[Gap, ...] = ()
    by_moderator: tuple[int, ...] = ()
    """A moderator's moves, and the line that says that a moderator has ended the match."""
    by_clock: tuple[int, ...] = ()
    """Default moves of sealed contests that were played because no order came."""
    resignations: tuple[int, ...] = ()

    @property
    def is_complete(self) -> bool:
        """True if the record goes to the end of the match and no sealed order is missing."""
        return self.ended and not self.gaps


def verify(record: Record) -> Verified:
    """Check commitment, seed, every line, every sealed order, and that the contests follow from the orders.

    Raises NotVerified for the first thing that does not fit, UnreadableRecord when there is nothing to check.
    """
    _verify_deal(record)
    played = replay(record)
    if played.refusal is not None:
        refused = played.refusal
        raise NotVerified(
            "line",
            "line {line}: {kind} ({code}): {reason}",
            line=refused.line,
            kind=refused.error.kind,
            code=refused.error.code,
            reason=refused.error.message,
        )
    decisions = _list_decisions(record)
    orders = _group_orders(record, _list_contests(record, [*(each.before for each in decisions), played]))
    for decision in decisions:
        _verify_clock(decision, orders)
    unproved = _verify_decisions(record, decisions, orders)
    found = {field.name: getattr(played, field.name) for field in fields(Replay)}
    return Verified(
        **found,
        gaps=(*_list_gaps(unproved), *_list_missing_versions(orders)),
        by_moderator=_list_by_moderator(record),
        by_clock=_numbers(decision.line for decision in unproved if decision.line.played_by == CLOCK),
        resignations=_numbers(line for line in _moves(record) if line.is_resignation),
    )


def _verify_deal(record: Record) -> None:
    if record.seed is None and record.deal is None:
        raise UnreadableRecord("running", "This match is still running: the seed is not revealed yet.")
    if record.match is None or record.commitment is None or record.server_part is None or not record.parts:
        raise UnreadableRecord(
            "nothing-to-verify",
            "To verify a deal a record needs Match:, Commitment:, Server-Part: and Parts:.",
        )
    committed = deal.commitment(record.match, record.game, record.version, record.options, record.server_part)
    if committed != record.commitment:
        differs = NotVerified("commitment", "Commitment: should be {value}.", value=committed)
        raise in_line(record.header_lines.get("Commitment", 0), differs)
    if (seed := deal.seed(record.server_part, record.parts)) != record.seed:
        differs = NotVerified("seed", "Seed: should be {value}.", value=seed)
        raise in_line(record.header_lines.get("Seed", 0), differs)
    if record.ages:
        raise NotVerified(
            "ages",
            "line {line}: Ages: is no part of what was promised.",
            line=record.header_lines.get("Ages", 0),
        )


@dataclass(frozen=True, slots=True)
class _Decision:
    """A move line and the position before it; `contest` is set when sealed orders had to decide it."""

    before: Replay
    line: MoveLine
    contest: str | None

    @property
    def key(self) -> tuple[str, Seat]:
        return self.contest or "", self.line.seat

    def write_default(self) -> str:
        rules = self.before.game.rules
        return rules.write(rules.default_move(self.before.state, self.line.seat))

    def write_played(self) -> str:
        rules = self.before.game.rules
        return rules.write(rules.parse(self.before.state, self.line.seat, self.line.text))


_Orders = Mapping[tuple[str, Seat], Sequence[SealedLine]]
"""All versions of each order, by contest and seat, in the order in which they were placed."""


def _moves(record: Record) -> list[MoveLine]:
    return [line for line in record.moves if isinstance(line, MoveLine)]


def _list_decisions(record: Record) -> list[_Decision]:
    """List every move but resignations. The record has been replayed without a refusal."""
    decisions = []
    has_orders = _has_orders(record)
    current = begin(record)
    for line in _moves(record):
        if not line.is_resignation:
            contest = _find_contest(current) if has_orders else None
            decisions.append(_Decision(current, line, contest))
        current = play_line(current, line, record.seed or NO_SEED)
    return decisions


def _find_contest(current: Replay) -> str | None:
    """The contest whose sealed orders decide the next move, unless the rules leave only one."""
    rules, state = current.game.rules, current.state
    return rules.context(state) if rules.bidders(state) and not rules.forced_move(state) else None


def _has_orders(record: Record) -> bool:
    meta = game(record.game).rules.meta
    options = read_options(meta, record.options, len(record.players))
    return meta.has_sealed_picks or options.get("pace") == "sealed"


def _list_contests(record: Record, positions: Iterable[Replay]) -> Mapping[str, frozenset[Seat]]:
    """Return the sealed contests among these positions, with the seats that could order for them."""
    bidders: dict[str, frozenset[Seat]] = defaultdict(frozenset)
    for current in positions if _has_orders(record) else ():
        rules = current.game.rules
        if context := rules.context(current.state):
            bidders[context] |= rules.bidders(current.state)
    return bidders


def _group_orders(record: Record, contests: Mapping[str, frozenset[Seat]]) -> _Orders:
    """Group the sealed orders, each of which must match its hash and have a contest and a version of its own."""
    laid: dict[tuple[str, Seat], list[SealedLine]] = defaultdict(list)
    lines: dict[tuple[str, Seat, int], int] = {}
    for order in record.sealed:
        _verify_hash(record.match or "", order)
        if order.seat not in contests.get(order.context, ()):
            raise NotVerified(
                "no-contest",
                "line {line}: seat {seat} had nothing to order for {contest} in this match.",
                line=order.line,
                seat=seat_letter(order.seat),
                contest=order.context,
            )
        version = order.context, order.seat, order.version
        if version in lines:
            raise NotVerified(
                "sealed-twice",
                "line {line}: version {version} of this order stands in line {first} already.",
                line=order.line,
                version=order.version,
                first=lines[version],
            )
        lines[version] = order.line
        laid[order.context, order.seat].append(order)
    return {key: sorted(orders, key=lambda order: order.version) for key, orders in laid.items()}


def list_given_parts(record: Record) -> list[Seat]:
    """The seats whose part a player gave, in a record that `verify` accepts; the others' follow from the server's."""
    secret = record.server_part or ""
    return [seat for seat, part in enumerate(record.parts) if part != deal.default_part(secret, seat)]


def _verify_hash(match: str, order: SealedLine) -> None:
    value = deal.sealed_hash(match, order.context, order.seat, order.version, order.salt, order.text)
    if value != order.hash:
        raise NotVerified(
            "sealed", "line {line}: the sealed order's hash should be {value}.", line=order.line, value=value
        )


def _verify_clock(decision: _Decision, orders: _Orders) -> None:
    """Check that the clock played the default move, and only where no order was placed (its picks are orders)."""
    if decision.line.played_by != CLOCK:
        return
    laid = orders.get(decision.key)
    if laid and not decision.before.game.rules.meta.has_sealed_picks:
        raise NotVerified(
            "clock",
            "line {line}: the clock cannot have played here, for the sealed order of line {order} lay there.",
            line=decision.line.line,
            order=laid[-1].line,
        )
    due = decision.write_default()
    if decision.write_played() != due:
        raise NotVerified(
            "clock",
            "line {line}: played by the clock this should be {move}.",
            line=decision.line.line,
            move=due,
        )


def _verify_decisions(record: Record, decisions: Sequence[_Decision], orders: _Orders) -> list[_Decision]:
    """Check the moves of all sealed contests against the orders; return the moves that have none."""
    grouped: dict[tuple[str, Seat], list[_Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.contest is not None:
            grouped[decision.key].append(decision)
    unproved: list[_Decision] = []
    for key, moves in grouped.items():
        laid = orders.get(key)
        if not laid:
            unproved += moves
        elif moves[0].before.game.rules.meta.has_sealed_picks:
            unproved += _verify_picks(moves, laid)
        else:
            _verify_order(moves, laid[-1], record.seed or NO_SEED)
    return unproved


def _verify_order(moves: Sequence[_Decision], order: SealedLine, seed: str) -> None:
    """Check that the seat's moves of one contest are those that the last version of its order gives."""
    orders = _read(moves[0], order)
    for move in moves:
        entry, state = move.before.game, move.before.state
        chance = Chance(seed, f"ply {move.before.ply + 1}")
        wanted = find_legal(entry, state, move.line.seat, orders.next_line, chance)
        _expect(move, move.write_default() if wanted is None else entry.rules.write(wanted), order)
        orders = orders if wanted is None else orders.advance()


def _read(move: _Decision, order: SealedLine) -> Orders:
    try:
        return read_orders(move.before.game, move.before.state, move.line.seat, order.text)
    except UnreadableOrder as error:
        raise NotVerified(
            "unreadable-order",
            "line {line}: the text of this sealed order cannot be read as moves: {reason}",
            line=order.line,
            reason=error.error.message,
        ) from error


def _verify_picks(moves: Sequence[_Decision], laid: Sequence[SealedLine]) -> list[_Decision]:
    """Check picks: each is a sealed order of its own, so that both have the same texts in the same order.

    Returns the picks without an order, where there are fewer orders.
    """
    if len(laid) == len(moves):
        for move, order in zip(moves, laid, strict=True):
            _expect(move, order.text, order)
        return []
    unproved = list(moves)
    begun = 0
    for order in laid:
        place = next((n for n in range(begun, len(moves)) if moves[n].write_played() == order.text), None)
        if place is None:
            raise NotVerified(
                "order", "line {line}: this sealed pick does not stand among the moves.", line=order.line
            )
        unproved.remove(moves[place])
        begun = place + 1
    return unproved


def _expect(move: _Decision, due: str, order: SealedLine) -> None:
    if move.write_played() != due:
        raise NotVerified(
            "order",
            "line {line}: by the sealed order of line {order} this should be {move}.",
            line=move.line.line,
            order=order.line,
            move=due,
        )


def _list_gaps(unproved: Iterable[_Decision]) -> list[Gap]:
    """List, by contest and seat, the moves that should have an order; the clock plays where none came."""
    lines: dict[tuple[str, Seat], list[MoveLine]] = defaultdict(list)
    for decision in unproved:
        is_pick = decision.before.game.rules.meta.has_sealed_picks
        if decision.line.played_by != CLOCK or is_pick:
            lines[decision.key].append(decision.line)
    return [Gap(context, seat, _numbers(found)) for (context, seat), found in lines.items()]


def _list_missing_versions(orders: _Orders) -> list[Gap]:
    """List missing versions, which count from 1. A missing last one cannot be seen: its hash is in the log alone."""
    gaps = []
    for (context, seat), laid in orders.items():
        present = {order.version for order in laid}
        missing = (version for version in range(1, laid[-1].version) if version not in present)
        if versions := tuple(islice(missing, MOST_VERSIONS)):
            gaps.append(Gap(context, seat, versions=versions))
    return gaps


def _list_by_moderator(record: Record) -> tuple[int, ...]:
    lines = _numbers(line for line in _moves(record) if line.played_by == MODERATOR)
    if record.ending == "adjudicated":
        return (record.header_lines.get("Ending", 0), *lines)
    return lines


def _numbers(lines: Iterable[MoveLine]) -> tuple[int, ...]:
    return tuple(line.line for line in lines)
