"""Conditions that must hold after each accident, once the server has had time to recover; each fault is a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from django.db import DatabaseError, connection, transaction

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.lib.database.database_faults import with_new_plans
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Heartbeat, Match, Move, SealedOrder, Seat, StoredPlan
from gemserver.matches.verify import first_difference
from gemserver.notify.models import OutboxMessage
from tests.faults.deeds import Deed, Deeds
from tests.faults.relay import Arrival, Relay

FRESH = timedelta(seconds=30)
"""Heartbeats are exact to ten seconds."""


def unfinished(fresh: timedelta = FRESH) -> list[str]:
    """Work that the server still has to do by itself; the sweep is alive if its heartbeat is this fresh."""
    try:
        return [
            f"{count} {what}"
            for what, count in (
                ("mails to be sent", OutboxMessage.objects.filter(state="queued").count()),
                ("mails to be read", InboundEmail.objects.filter(state="stored").count()),
                ("bots to move", Seat.objects.filter(is_waiting=True).exclude(bot="").count()),
                ("schedulers that stand still", int(not sweeps(fresh))),
            )
            if count
        ]
    except DatabaseError:
        connection.close()
        return ["a database that does not answer"]


def sweeps(fresh: timedelta) -> bool:
    """True if there was a sweep of the deadlines within this time."""
    last = Heartbeat.objects.filter(duty=Heartbeat.Duty.SWEEP).values_list("at", flat=True).first()
    return last is not None and abs(clock.now() - last) < fresh


Window = tuple[float, float]
"""Start and end, by the monotonic clock."""
FLIGHT = 3.0
"""Seconds that may lie between the relay's answer and the note of it."""


def faults_of(deeds: Deeds, relay: Relay, deaths: list[Window]) -> list[str]:
    """Everything that is wrong; to be called while nobody plays.

    `deaths`: periods in which senders, or the database in which they note sent mail, were killed. Mail that the relay
    took just before may come again.
    """
    done = deeds.all()
    return [
        *deeds.complaints(),
        *_faults_of_matches(),
        *_faults_of_moves(done),
        *_faults_of_mail_in([deed for deed in done if deed.way == "mail"]),
        *_faults_of_mail_out(relay.received(), deaths),
        *_faults_of_turns(relay.received()),
    ]


def _faults_of_matches() -> Iterator[str]:
    for pk in Match.objects.exclude(started_at=None).values_list("pk", flat=True):
        if fault := with_new_plans(_fault_of_match, pk):
            yield fault


def _fault_of_match(pk: int) -> str | None:
    with transaction.atomic():
        match = lock_match(pk)
        difference = first_difference(match)
    return f"{match.code} {match.game} does not follow from its moves: {difference}" if difference else None


def _faults_of_moves(deeds: list[Deed]) -> Iterator[str]:
    """Each acknowledged move is there once, and no other."""
    mails = dict(InboundEmail.objects.values_list("message_id", "pk"))
    wanted = Counter(
        f"web:{deed.user_id}:{deed.key}" if deed.way == "web" else f"mail:{mails.get(deed.key)}"
        for deed in deeds
    )
    played = {
        request_id
        for model in (Move, SealedOrder, StoredPlan)  # a sealed pick is a move and an order
        for request_id in model.objects.filter(source__in=["web", "mail"]).values_list(
            "request_id", flat=True
        )
        if request_id
    }
    found = Counter(_request_of(request_id) for request_id in played)
    for request, count in (wanted - found).items():
        yield f"the move {request} was acknowledged {count} time(s) more than it was played"
    for request, count in (found - wanted).items():
        yield f"the move {request} was played {count} time(s) more than it was acknowledged"


def _request_of(request_id: str) -> str:
    """The request id without the seat, and without the number of a mail's line."""
    way, account, _seat, *key = request_id.split(":")
    return f"web:{account}:{key[0]}" if way == "web" else f"mail:{key[1]}"


def _faults_of_mail_in(deeds: list[Deed]) -> Iterator[str]:
    rows = {row.message_id: row for row in InboundEmail.objects.defer("raw")}
    answered = set(OutboxMessage.objects.filter(kind="receipt").values_list("in_reply_to", flat=True))
    for deed in deeds:
        row = rows.get(deed.key)
        if row is None:
            yield f"the mail {deed.key} was acknowledged and is lost"
        elif row.state != "done":
            yield f"the mail {deed.key} is {row.state} ({row.code}): {row.results}"
        elif f"<{deed.key}>" not in answered:
            yield f"the mail {deed.key} has no receipt"


def _faults_of_mail_out(received: dict[str, list[Arrival]], deaths: list[Window]) -> Iterator[str]:
    states = dict(OutboxMessage.objects.values_list("message_id", "state"))
    for message_id, state in states.items():
        if state == "sent" and message_id not in received:
            yield f"the mail {message_id} is noted as sent and did not arrive"
        if state == "failed":
            yield f"the mail {message_id} was given up"
    for message_id, arrivals in received.items():
        if message_id not in states:
            yield f"the mail {message_id} arrived, and nobody has written it"
        if any(arrival.is_acknowledged and not _was_cut_short(arrival, deaths) for arrival in arrivals[:-1]):
            gaps = ", ".join(f"{arrival.at - arrivals[0].at:.1f} s" for arrival in arrivals[1:])
            yield f"the mail {message_id} came {len(arrivals)} times, again after {gaps}"


def _was_cut_short(arrival: Arrival, deaths: list[Window]) -> bool:
    return any(start - FLIGHT <= arrival.at <= end for start, end in deaths)


def _faults_of_turns(received: dict[str, list[Arrival]]) -> Iterator[str]:
    """Everybody who is waited for was asked by mail, and the mail has arrived."""
    told = {
        (ref[0], ref[2], ref[1])
        for ref in (
            [int(part) for part in message_id.split(".")[1:4]]
            for message_id in received
            if message_id.startswith("<t.")
        )
    }
    for seat in Seat.objects.filter(is_waiting=True, match__status="running", user__mail_mode="turns"):
        if (seat.match_id, seat.index, seat.prompt_ply) not in told:
            yield f"seat {seat} is waited for at {seat.prompt_ply} and has no mail about it"
    for match in Match.objects.filter(status="running").exclude(seats__is_waiting=True):
        yield f"{match.code} goes on and waits for nobody"
