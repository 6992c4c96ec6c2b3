"""Conditions that must hold at every moment of a simulation; each breach is a sentence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import QuerySet

from gemserver.accounts.models import User
from gemserver.clocks.free_time import next_running
from gemserver.clocks.reminders import WORTH_TELLING
from gemserver.mailgate.addresses import find_recipient
from gemserver.matches import timing
from gemserver.matches.models import IS_BOTS, Match, Move, Seat, Sitting
from gemserver.notify.models import OutboxMessage
from gemserver.ratings import rating, verify
from tests.simulation.post import reader_of, sits

TOLERANCE = timedelta(seconds=1)


@dataclass
class Checks:
    """Looks at the tables after every sweep. `sweep_every`: the time between sweeps."""

    sweep_every: timedelta
    problems: list[str] = field(default_factory=list)
    leads: Counter[str] = field(default_factory=Counter)
    """Reminders by the time that was left when they fell due."""
    _keys: dict[int, tuple[object, ...]] = field(default_factory=dict)
    """The prompt and lead of each reminder, by its row."""
    _due: dict[tuple[object, ...], datetime] = field(default_factory=dict)
    """The due time told by the last reminder of each prompt, and by that of each of its leads."""
    _last_seen: int = 0

    def of_deadlines(self, now: datetime) -> None:
        """Nobody is asked for longer than until the first sweep after the time ran out."""
        for seat in _asked().filter(due_at__lte=now - self.sweep_every):
            self.problems.append(f"{now:%d %b %H:%M}: {seat} was due at {seat.due_at} and is still asked")

    def of_reminders(self) -> None:
        """Each reminder queued since last time came when a lead of the player was left, and not in free time."""
        rows = OutboxMessage.objects.filter(kind="reminder", pk__gt=self._last_seen).order_by("pk")
        for row in rows.select_related("user"):
            self._last_seen = row.pk
            seat = Seat.objects.select_related("match", "user").get(
                match=row.data["match"], index=row.data["seat"]
            )
            snoozed_until = row.user.snoozed_until if row.user else None
            # A snooze that begins while another ends holds the reminder back.
            is_held_back = snoozed_until is not None and snoozed_until > row.created_at
            if (
                seat.prompt_ply == row.data["turn"]
                and seat.is_waiting
                and not is_held_back
                and row.user == reader_of(seat, row.created_at)
            ):
                self._look_at_reminder(row, seat)

    def of_all_clocks(self, now: datetime) -> None:
        """Due times and alarms agree with the arithmetic, so that no time runs out unnoticed behind a wrong one."""
        for seat in _asked().select_related("match", "user"):
            due = timing.due_at(seat.match, seat)
            if due != seat.due_at:
                self.problems.append(
                    f"{now:%d %b %H:%M}: {seat} is due at {due}, its alarm says {seat.due_at}"
                )
            if seat.clock_left < timedelta(0) or (
                due is not None and timing.time_left(seat.match, seat, now) < -self.sweep_every
            ):
                self.problems.append(f"{now:%d %b %H:%M}: the clock of {seat} is below zero")

    def of_ratings(self) -> None:
        """All ratings follow from the records, whatever happened on the way, and when they were computed."""
        rating.rate_all()
        _, difference = verify.verify()
        if difference is not None:
            self.problems.append(f"ratings: {difference}")

    def at_the_end(self) -> None:
        """No reminder went out after the answer, nothing was decided twice, nothing waits that should be sent."""
        told = OutboxMessage.objects.filter(kind__in=["turn", "reminder"], state="sent")
        for row in told.exclude(data__has_key="starts"):
            moves = Move.objects.filter(
                match=row.data["match"], seat=row.data["seat"], ply__gte=row.data["turn"], voided_at=None
            )
            answer = moves.exclude(source=Move.Source.FORCED).order_by("ply").first()
            if answer and row.sent_at and row.sent_at >= answer.created_at:
                self.problems.append(f"{row} was sent at {row.sent_at}, the answer came {answer.created_at}")
        sent: dict[tuple[object, ...], list[OutboxMessage]] = {}
        for row in OutboxMessage.objects.filter(pk__in=self._keys, state="sent").order_by("pk"):
            sent.setdefault(self._keys[row.pk], []).append(row)
        for key, rows in sent.items():
            if len(rows) > 1:
                told = "; ".join(
                    f"{row.user} at {row.sent_at}, fell due {row.data['fell_due']}" for row in rows
                )
                self.problems.append(f"reminded {len(rows)} times of {key}: {told}")
        for row in OutboxMessage.objects.filter(state="failed"):
            self.problems.append(f"{row} was given up: {row.last_error}")

        self._of_sittings()

    def _of_sittings(self) -> None:
        """Sitters have played only while they sat there, and their addresses are dead afterwards."""
        for sitting in Sitting.objects.select_related("seat", "sitter").filter(ended_at__isnull=False):
            if find_recipient(sitting.reply_address, at=sitting.ended_at) is not None:
                self.problems.append(f"the address of {sitting} is alive, it was over at {sitting.ended_at}")
            own = Move.objects.filter(
                match=sitting.seat.match_id, seat=sitting.seat.index, actor=sitting.sitter
            )
            if sitting.seat.user == sitting.sitter or _has_held(sitting.seat, sitting.sitter):
                continue  # took the seat over, and moved as its player
            periods = list(sitting.seat.sittings.filter(sitter=sitting.sitter))
            for move in own.filter(source__in=[Move.Source.WEB, Move.Source.MAIL]):
                # A move and the player's return in the same tick happen at the same instant.
                at = _decided_at(move)
                if not any(sits(each, at) or each.ended_at == at for each in periods):
                    self.problems.append(f"{move} was played by a sitter at {move.created_at}: {sitting}")

    def _look_at_reminder(self, row: OutboxMessage, seat: Seat) -> None:
        assert row.user
        assert seat.user
        fell_due = datetime.fromisoformat(row.data["fell_due"])
        left = timing.time_left(seat.match, seat, fell_due)
        leads = {min(lead, seat.clock_left / 2) for lead in seat.user.reminder_leads}
        prompt = (seat.match_id, seat.index, seat.prompt_ply, seat.token_generation)
        lead = next((lead for lead in leads if abs(lead - left) < TOLERANCE), None)
        if row.user.snoozed_until == fell_due:
            key: tuple[object, ...] = (*prompt, "snooze", fell_due)
        elif lead is not None and not self._has_told((*prompt, lead), seat.due_at):
            key = (*prompt, lead)
        else:
            # A lead told at the very instant at which a stop began is postponed as well.
            key = (*prompt, "again", seat.due_at)
            told = self._due.get(prompt)
            if told is None or seat.due_at is None or seat.due_at - told < WORTH_TELLING:
                self.problems.append(f"{row.created_at:%d %b %H:%M}: {seat} was reminded for no reason")
        if seat.due_at:
            self._due[prompt] = self._due[key] = seat.due_at
        is_half = key == (*prompt, lead) and lead not in seat.user.reminder_leads
        self.leads["at half of the time given" if is_half else _name_of(key)] += 1
        self._keys[row.pk] = key
        if lead is None and left > max(leads, default=timedelta(0)) and "snooze" not in key:
            self.problems.append(f"{row.created_at:%d %b %H:%M}: {seat} was reminded with {left} left")
        if next_running(fell_due, timing.free_time_of(seat.match, seat)) != fell_due and "snooze" not in key:
            self.problems.append(f"{row.created_at:%d %b %H:%M}: {seat} was reminded in free time")

    def _has_told(self, key: tuple[object, ...], due: datetime | None) -> bool:
        """True if this lead was reached before, for another due time, and the mail that said so went out."""
        if self._due.get(key, due) == due:
            return False
        rows = [pk for pk, of in self._keys.items() if of == key]
        return OutboxMessage.objects.filter(pk__in=rows, sent_at__isnull=False).exists()


def _decided_at(move: Move) -> datetime:
    """When the move was written: at sealed pace before the contest was settled in which it was played."""
    orders = move.match.sealed_orders.filter(
        seat=move.seat, user=move.actor, resolved_ply__isnull=False, placed_at__lte=move.created_at
    )
    last = orders.order_by("placed_at").last()
    return last.placed_at if last else move.created_at


def _has_held(seat: Seat, user: User) -> bool:
    return seat.former_addresses.filter(user=user).exists()


def _asked() -> QuerySet[Seat]:
    """The people who are asked in running matches."""
    return Seat.objects.filter(~IS_BOTS, is_waiting=True, match__status=Match.Status.RUNNING)


def _name_of(key: tuple[object, ...]) -> str:
    """The report's name for a reminder."""
    *_, what, when = key
    if what in {"snooze", "again"}:
        return {"snooze": "after a snooze", "again": "once more, for a due time put off"}[str(what)]
    assert isinstance(when, timedelta)
    return f"with {when / timedelta(hours=1):g} h left"
