"""Whether a finished match was dealt and played as its record says: everything that can be worked out again is."""

from __future__ import annotations

from dataclasses import dataclass

from games import deal
from games.chance import NO_SEED, Chance
from games.contract import GameError, Seat
from games.orders import Orders, UnreadableOrder, find_legal, read_orders
from games.record import RESIGN, MoveLine, Record, SealedLine, UnreadableRecord
from games.replay import Replay, begin, play_line, replay


class NotVerified(GameError):
    """Something in a record does not fit the rest; the message names it."""

    kind = "not verified"


def verify(record: Record) -> Replay:
    """Check commitment, seed, every line, every sealed order, and that the contests follow from the orders.

    Raises NotVerified for the first thing that does not fit, UnreadableRecord when there is nothing to check.
    """
    if record.seed is None and record.deal is None:
        raise UnreadableRecord("running", "This match is still running: the seed is not revealed yet.")
    if record.match is None or record.commitment is None or record.server_part is None or not record.parts:
        raise UnreadableRecord(
            "nothing-to-verify",
            "To verify a deal a record needs Match:, Commitment:, Server-Part: and Parts:.",
        )
    committed = deal.commitment(record.match, record.game, record.version, record.options, record.server_part)
    if committed != record.commitment:
        raise NotVerified("commitment", "Commitment: should be {value}.", value=committed)
    if deal.seed(record.server_part, record.parts) != record.seed:
        raise NotVerified(
            "seed", "Seed: should be {value}.", value=deal.seed(record.server_part, record.parts)
        )
    played = replay(record)
    if played.refusal is not None:
        raise NotVerified("line", "{refusal}", refusal=str(played.refusal))
    for order in record.sealed:
        _verify_hash(record.match, order)
    if record.sealed:
        _verify_contests(record)
    return played


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


def list_unvouched(record: Record) -> list[int]:
    """The lines of sealed contests, in a record that `verify` accepts, for which it has no sealed order.

    Where there is one, nothing says whether the moves of the contests follow from the orders: a line may be missing.
    """
    entry = begin(record).game
    is_sealed = entry.rules.meta.has_sealed_picks or "pace=sealed" in record.options.split()
    return [bid.line.line for bid in _list_bids(record) if bid.order is None] if is_sealed else []


@dataclass(frozen=True, slots=True)
class _Bid:
    """A line of a contest: the position before it, and the last version of its seat's order, if it has one."""

    before: Replay
    line: MoveLine
    context: str
    order: SealedLine | None


def _verify_contests(record: Record) -> None:
    """Hold the moves of all contests against the last versions of the orders for them.

    Only when there is an order for whatever was decided in a contest: of a record that keeps a few of them, each is
    vouched for by its hash alone.
    """
    bids = _list_bids(record)
    if any(bid.order is None for bid in bids):
        return
    left: dict[tuple[str, Seat], Orders | None] = {}
    picked: dict[tuple[str, Seat], _Bid] = {}
    for bid in bids:
        key = bid.context, bid.line.seat
        if bid.before.game.rules.meta.has_sealed_picks:
            picked[key] = bid  # only the last one was carried out
        else:
            orders = left[key] if key in left else _read(bid)
            left[key] = orders and _follow(
                bid, orders, Chance(record.seed or NO_SEED, f"ply {bid.before.ply + 1}")
            )
    for bid in picked.values():
        _expect(bid, bid.order.text if bid.order else "")


def _list_bids(record: Record) -> list[_Bid]:
    """Every decision of a contest: neither forced, nor made by a moderator, nor because time ran out."""
    last: dict[tuple[str, Seat], SealedLine] = {}
    for order in sorted(record.sealed, key=lambda order: order.version):
        last[order.context, order.seat] = order
    bids = []
    current = begin(record)
    rules = current.game.rules
    for line in record.moves:
        assert isinstance(line, MoveLine), "the lines have been replayed"
        context = rules.context(current.state)
        is_decided = line.played_by not in _NOT_BY_ORDER and line.text.lower() != RESIGN
        if context and is_decided and rules.bidders(current.state) and not rules.forced_move(current.state):
            bids.append(_Bid(current, line, context, last.get((context, line.seat))))
        current = play_line(current, line, record.seed or NO_SEED)
    return bids


_NOT_BY_ORDER = frozenset({"clock", "moderator"})


def _read(bid: _Bid) -> Orders | None:
    """The lines of the order; None for a text that only its hash can vouch for."""
    assert bid.order is not None
    try:
        return read_orders(bid.before.game, bid.before.state, bid.line.seat, bid.order.text)
    except UnreadableOrder:
        return None


def _follow(bid: _Bid, orders: Orders, chance: Chance) -> Orders:
    """What is left of the orders after this line; raises NotVerified when they would have played something else."""
    game, state, seat = bid.before.game, bid.before.state, bid.line.seat
    wanted = find_legal(game, state, seat, orders.next_line, chance)
    due = game.rules.default_move(state, seat) if wanted is None else wanted
    _expect(bid, game.rules.write(due))
    return orders if wanted is None else orders.advance()


def _expect(bid: _Bid, due: str) -> None:
    rules = bid.before.game.rules
    played = rules.write(rules.parse(bid.before.state, bid.line.seat, bid.line.text))
    if played != due:
        raise NotVerified(
            "order",
            "line {line}: by the sealed order of line {order} this should be {move}.",
            line=bid.line.line,
            order=bid.order.line if bid.order else 0,
            move=due,
        )
