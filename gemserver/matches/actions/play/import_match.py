"""Make a match from a record; for operators."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.management.color import no_style
from django.db import connection, transaction

from games import deal, replay
from games.chance import NO_SEED
from games.contract import seat_letter
from games.record import RESIGN, MoveLine, Record, write_options
from games.record_headers import read_options
from games.registry import game
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.matches.actions.play.rebuild_match import recompute
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move, SealedOrder, Seat
from gemserver.matches.playing import Playing
from gemserver.matches.refusal import Refused

Holder = User | Seat.Bot
_SOURCES = frozenset(Move.Source.values)


def import_match(
    record: Record,
    holders: Mapping[int, Holder],
    *,
    time_control: TimeControl,
    keeps_code: bool = False,
    now: datetime,
) -> Match:
    """Turn the record into a match: finished, or running with `holders` (by seat index) in every seat.

    It gets a new number; `keeps_code` restores a lost match under the code that its commitment covers.
    Raises Refused(bad-line, seat-without-holder, code-taken, commitment-differs), UnreadableRecord.
    """
    played = replay.replay(record)
    if played.refusal is not None:
        raise Refused("bad-line", "{refusal}", refusal=str(played.refusal))
    if not played.ended:
        _require_holders(record, holders)
    with transaction.atomic():
        match = _create(record, time_control, keeps_code, now)
        _seat(match, record, holders)
        _write_moves(match, record, now)
        recompute(match)
        notices.post(match, "imported", "imported", now=now)
        if played.ended:
            _finish(match, record, played, now)
        else:
            playing = Playing.load(match, now)
            playing.run()
            playing.ask_next(answered=())
    return match


def _require_holders(record: Record, holders: Mapping[int, Holder]) -> None:
    empty = [seat_letter(index) for index in range(len(record.players)) if index not in holders]
    if empty:
        raise Refused(
            "seat-without-holder",
            "The match goes on, and nobody is named for seat {seats}; say who plays there.",
            seats=", ".join(empty),
        )


def _create(record: Record, time_control: TimeControl, keeps_code: bool, now: datetime) -> Match:
    meta = game(record.game).rules.meta
    seats = len(record.players)
    is_whole = record.server_part is not None and bool(record.parts) and not record.ages
    match = Match(
        pk=_number(record) if keeps_code else None,
        code=f"new-{now.timestamp()}"[:16],  # the code follows from the row's number
        game=record.game,
        rules_version=record.version,
        options=write_options(meta, read_options(meta, record.options, seats), seats),
        seat_count=seats,
        bank=time_control.bank,
        increment=time_control.increment,
        cap=time_control.cap,
        access=Match.Access.INVITED,
        status=Match.Status.RUNNING,
        created_at=now,
        started_at=now,
        server_part=(record.server_part or "") if is_whole else "",
        dealt_by=None if is_whole else _dealt_by(record),
    )
    match.save(force_insert=True)
    match.code = f"M{match.pk}"
    if is_whole:
        _require_seed(record)
        match.commitment = _commit(match)
    if keeps_code:
        _require_kept(match, record)
    match.save(update_fields=["code", "commitment"])
    return match


def _number(record: Record) -> int:
    """The primary key that gives the match the record's code. Raises Refused(code-taken)."""
    code = re.fullmatch(r"M([0-9]{1,9})", record.match or "")
    if code is None:
        raise Refused(
            "code-taken", "The record has no code of ours in Match:; import it without keeping that."
        )
    if Match.objects.filter(pk=int(code[1])).exists():
        raise Refused(
            "code-taken",
            "There is a match {code} already; import it without keeping that.",
            code=record.match,
        )
    return int(code[1])


def _require_seed(record: Record) -> None:
    if record.seed != deal.seed(record.server_part or "", record.parts):
        raise Refused(
            "commitment-differs", "Seed: does not follow from Server-Part: and Parts:; correct the record."
        )


def _require_kept(match: Match, record: Record) -> None:
    if match.commitment != (record.commitment or ""):
        raise Refused(
            "commitment-differs", "Commitment: does not fit the rest; import it without keeping its code."
        )
    for statement in connection.ops.sequence_reset_sql(no_style(), [Match]):
        with connection.cursor() as cursor:
            cursor.execute(statement)


def _commit(match: Match) -> str:
    return deal.commitment(match.code, match.game, match.rules_version, match.options, match.server_part)


def _dealt_by(record: Record) -> dict[str, Any]:
    dealt: dict[str, Any] = {"ages": list(record.ages)} if record.ages else {}
    if record.deal is not None:
        return {**dealt, "deal": record.deal, "first": record.first}
    return {**dealt, "seed": record.seed}


def _seat(match: Match, record: Record, holders: Mapping[int, Holder]) -> None:
    for index in range(match.seat_count):
        holder = holders.get(index)
        seat = Seat(
            match=match,
            index=index,
            user=holder if isinstance(holder, User) else None,
            bot=holder if isinstance(holder, Seat.Bot) else Seat.Bot.NONE,
            part=record.parts[index] if match.server_part else "",
            clock_left=match.time_control.bank,
        )
        seat.token_hash = seat.current_token_hash()
        seat.save()


def _write_moves(match: Match, record: Record, now: datetime) -> None:
    """Write the moves in canonical notation, without their events."""
    current = replay.begin(record)
    for line in record.moves:
        assert isinstance(line, MoveLine), "the record was replayed before"
        text = RESIGN
        if not line.is_resignation:
            text = match.rules.write(match.rules.parse(current.state, line.seat, line.text))
        current = replay.play_line(current, line, record.seed or NO_SEED)
        Move.objects.create(
            match=match,
            ply=current.ply,
            seat=line.seat,
            text=text,
            source=line.played_by if line.played_by in _SOURCES else Move.Source.WEB,
            created_at=now,
            events=[],
        )


def _finish(match: Match, record: Record, played: replay.Replay, now: datetime) -> None:
    """Mark the match as finished without telling anybody: it was over long ago."""
    match.status, match.finished_at = Match.Status.FINISHED, now
    match.ending = record.ending or Match.Ending.PLAYED_OUT
    match.save(update_fields=["status", "finished_at", "ending"])
    for seat in match.seats.order_by("index"):
        seat.score, seat.rank = played.scores[seat.index], played.ranks[seat.index]
        seat.save(update_fields=["score", "rank"])
    if match.code == record.match:  # the hashes of sealed orders cover the code
        SealedOrder.objects.bulk_create(
            SealedOrder(
                match=match,
                seat=order.seat,
                context=order.context,
                version=order.version,
                lines=[],
                text=order.text,
                salt=order.salt,
                hash=order.hash,
                source=Move.Source.WEB,
                placed_at=now,
                resolved_ply=match.ply,
            )
            for order in record.sealed
        )
