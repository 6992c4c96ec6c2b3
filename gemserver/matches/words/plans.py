"""Tells a plan's player which parts of it cannot be played as things stand, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from games import registry
from games.chance import NO_SEED, Chance
from games.course import Plan
from games.foresight import Doubt, imagine_turn
from games.foresight import find_doubts as foresee_doubts
from games.orders import Line, Orders, write_line
from gemserver.lib.text.translator import translator
from gemserver.matches import prompts, replay
from gemserver.matches.models import Match, SealedOrder, StoredPlan
from gemserver.matches.words.moves import quote, word_line

IMAGINED = 16
"""Turns that are imagined to find words for the moves of a plan."""
EXAMPLES = 4
"""Moves that are drawn for an example, of which the shortest are shown."""


def find_doubts(plan: StoredPlan) -> list[Doubt]:
    """The alternatives of a standing plan that have become impossible, in the order of the plan."""
    if plan.end or not plan.match.is_running:
        return []
    position = replay.position(plan.match)
    return foresee_doubts(registry.game(plan.match.game), position, plan.seat, plan.plan)


@dataclass(frozen=True, slots=True)
class ExplainedDoubt:
    """An alternative of a plan or sealed order in notation, its words where these say more, and why it is in doubt."""

    text: str
    words: str
    reason: str


def explain_doubts(plan: StoredPlan) -> list[ExplainedDoubt]:
    """Like `find_doubts`, in the active language."""
    doubts = find_doubts(plan)
    lines = word_lines(plan.match, plan.seat, [(doubt.text,) for doubt in doubts])
    return [_explain(doubt, words) for doubt, (_line, words) in zip(doubts, lines, strict=True)]


def explain_order_doubts(order: SealedOrder) -> list[ExplainedDoubt]:
    """Like `explain_doubts`, for a sealed order."""
    match, laid = order.match, Plan(order.orders, order.context)
    doubts = foresee_doubts(registry.game(match.game), replay.position(match), order.seat, laid)
    return [_explain(doubt, word_orders(match, order.seat, Orders(((doubt.text,),)))) for doubt in doubts]


def _explain(doubt: Doubt, words: str) -> ExplainedDoubt:
    return ExplainedDoubt(doubt.text, words, doubt.error.message.text(translator()))


def quote_doubts(plan: StoredPlan) -> str:
    """The moves of `find_doubts` within a sentence to whoever wrote the plan; empty if there are none."""
    return quote_lines(plan, [(doubt.text,) for doubt in find_doubts(plan)])


def show_line(match: Match, seat: int, line: Line) -> str:
    """Write a line of an order as people would: bids that follow each other up to a limit as `up to 5`."""
    game = registry.game(match.game)
    read_bid = game.sealed_pace.read_bid if game.sealed_pace else None
    if game.spell_out is None or read_bid is None:
        return write_line(line)
    bids = [bid for text in line if (bid := read_bid(text)) is not None]
    if len(bids) < 2 or bids != list(range(bids[0], bids[0] + len(bids))) or read_bid(line[0]) != bids[0]:
        return write_line(line)
    limit = f"up to {bids[-1]}"
    meant = tuple(game.spell_out(replay.position(match), seat, limit))
    run = line[: len(bids)]
    return write_line((limit, *line[len(bids) :])) if meant == run[-len(meant) :] else write_line(line)


def show_orders(match: Match, seat: int, orders: Orders) -> str:
    """Like `show_line`, for all lines in one."""
    return "; ".join([show_line(match, seat, line) for line in orders.lines])


def show_order(order: SealedOrder) -> str:
    """Like `show_orders`, for a sealed order."""
    return show_orders(order.match, order.seat, order.orders)


def quote_order(order: SealedOrder) -> str:
    """A sealed order within a sentence to whoever laid it: in words, with the notation behind them."""
    return quote(word_order(order), show_order(order))


def word_order(order: SealedOrder) -> str:
    """A sealed order in words, for whoever laid it; empty where they say no more than `show_order`."""
    return word_orders(order.match, order.seat, order.orders)


def word_orders(match: Match, seat: int, orders: Orders) -> str:
    """Like `word_order`, for orders to the contest that is open."""
    position = prompts.position_to_answer(match, replay.position(match), seat)
    words = [_word_line(match, [position], seat, line) for line in orders.lines]
    return "; ".join(words) if all(words) else ""


def word_lines(match: Match, seat: int, lines: Sequence[Line]) -> list[tuple[str, str]]:
    """The lines of a plan as `show_line` writes them, each with its words; those are empty where they say no more."""
    turns = [_imagine_turn(match, seat, number) for number in range(IMAGINED)] if lines else []
    positions = [position for position in turns if position is not None]
    return [(show_line(match, seat, line), _word_line(match, positions, seat, line)) for line in lines]


def quote_lines(plan: StoredPlan, lines: Sequence[Line]) -> str:
    """Lines of a plan within a sentence to whoever wrote it: in words, with the notation behind them."""
    return "; ".join([quote(words, text) for text, words in word_lines(plan.match, plan.seat, lines)])


def _word_line(match: Match, positions: Sequence[Any], seat: int, line: Line) -> str:
    is_short = show_line(match, seat, line) != write_line(line)  # `up to 5` is read as it stands
    return "" if is_short else word_line(match.rules, positions, seat, line)


def find_example(match: Match, seat: int) -> str:
    """A line that could be written for the seat's next turn; empty if it is not asked again."""
    position, rules = _imagine_turn(match, seat), match.rules
    if position is None:
        return ""
    chance = Chance(NO_SEED, f"example {match.code} {match.ply}")
    moves = {rules.write(rules.random_move(position, seat, chance)): None for _ in range(EXAMPLES)}
    # What is always possible is short, and comes last.
    return write_line(tuple(sorted(moves, key=len)[1::-1]))


def _imagine_turn(match: Match, seat: int, number: int = 0) -> Any:
    """The seat's next turn as it may come; it comes alike as long as nobody moves."""
    chance = Chance(NO_SEED, f"turn {match.code} {match.ply} {number}")
    return imagine_turn(registry.game(match.game), replay.position(match), seat, chance)


def say_kept(plan: StoredPlan) -> str:
    """Confirm that a plan was stored, and name the parts that cannot be played."""
    params = {
        "plan": quote_lines(plan, plan.orders.lines),
        "doubts": quote_doubts(plan),
    }
    if not params["doubts"]:
        return _("Your plan is kept: %(plan)s.") % params
    return (
        _("Your plan is kept: %(plan)s. As things stand, this part of it cannot be played: %(doubts)s.")
        % params
    )


def say_ended(plan: StoredPlan) -> str:
    """Explain why an ended plan had no answer to the prompt; empty when there is nothing to say."""
    line = quote_lines(plan, [plan.orders.next_line])
    if plan.end == StoredPlan.End.DROPPED:
        return _(
            "Nothing in the next line of your plan (%(line)s) was possible, so the plan was dropped and you decide."
        ) % {"line": line}
    if plan.end == StoredPlan.End.USED and plan.orders.is_used_up:
        return _("Your plan is used up (its last line was %(line)s), and you decide what follows.") % {
            "line": line
        }
    if plan.end == StoredPlan.End.UNDONE:
        return _("A move of your plan was taken back, and the plan with it; you decide.")
    return ""
