"""Play a bot's move: chosen outside any transaction, submitted like anybody's."""

from __future__ import annotations

import logging
from secrets import token_hex

from games import bots, registry
from games.chance import Chance
from games.orders import write_orders
from gemserver.lib import clock
from gemserver.matches import prompts, replay
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused

log = logging.getLogger(__name__)


def play_bot(seat_id: int) -> bool:
    """Let the bot in this seat think and move; False if the match has gone on without it."""
    seat = Seat.objects.select_related("match").get(pk=seat_id)
    match = seat.match
    if not seat.is_waiting or not seat.bot_level or not match.is_running:
        return False
    request = Request(
        match_code=match.code,
        actor=Actor.bot(seat.index),
        text=think(match, seat, seat.bot_level),
        source=Move.Source.BOT,
        request_id=str(seat.prompt_ply),
        prompt_ply=seat.prompt_ply,
    )
    try:
        submit(request, now=clock.now())
    except Refused as refusal:
        log.info("bot of seat %s came too late: %s", seat_id, refusal.code)
        return False
    return True


def think(match: Match, seat: Seat, level: str) -> str:
    """Choose what a bot of this level sends for a waiting seat: a move, or a sealed order for the open contest.

    It draws on chance of its own, never on the match's seed.
    """
    position, chance = replay.position(match), Chance(token_hex(32), "bot")
    game = registry.game(match.game)
    if prompts.has_open_contest(match, position):
        return write_orders(bots.choose_order(level, game, position, seat.index, chance))
    return match.rules.write(bots.choose(level, game, position, seat.index, chance))
