"""Takes up stored mails one after the other, has each judged, and notes the verdict with its answer.

What follows from one mail is decided in `judging`.
"""

from __future__ import annotations

import logging
import math
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet

from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import Verdict
from gemserver.lib import clock
from gemserver.lib.database.database_faults import is_outrun, is_passing, with_new_plans
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.process import logs
from gemserver.lib.text.mail_address import comparable
from gemserver.mailgate.answering import answers
from gemserver.mailgate.judging import judge
from gemserver.nudge import nudge

log = logging.getLogger(__name__)

CLAIM = timedelta(seconds=settings.CLAIM_SECONDS)
ATTEMPTS = 5
"""Counted when a mail is taken up, so that one that kills the process reading it is given up too."""
PUT_OFF = timedelta(seconds=15)
"""Pause before a mail is taken up again that waited in vain for a locked row."""

State = InboundEmail.State


def process_stored(longest: float = math.inf) -> int:
    """Process waiting mails until none is left, or for this many seconds; return how many there were.

    Another task takes up the rest, behind the tasks that already wait.
    """
    handled, began = 0, time.monotonic()
    while pk := claim(clock.now()):
        with logs.about(inbound=pk):
            process(pk)
        handled += 1
        if time.monotonic() - began > longest:
            nudge("gemserver.mailgate.tasks.read_mail")
            break
    return handled


def claim(now: datetime) -> int | None:
    """Claim a waiting mail, which is this caller's alone for `CLAIM`; None if there is none.

    Mails to one address are taken one after the other, in order of receipt; at the lobby, those of one sender
    (mail-requirements.md I4).
    """
    with transaction.atomic():
        for pk in _next(now=now, longest=now + CLAIM):
            InboundEmail.objects.filter(pk=pk).update(claimed_until=now + CLAIM, attempts=F("attempts") + 1)
            return pk
    return None


class ClaimLost(Exception):
    """The work on a mail took so long that another worker has begun it."""


class Claim:
    """A worker's claim on one mail, renewed between the steps of the work, each of which is bounded."""

    def __init__(self, row: InboundEmail) -> None:
        self.pk = row.pk
        self.until = row.claimed_until
        self.renewed_at = time.monotonic()

    def keep(self) -> None:
        """Renew the claim once a quarter of its time is over. Raises ClaimLost."""
        if time.monotonic() - self.renewed_at < CLAIM.total_seconds() / 4:
            return
        until = clock.now() + CLAIM
        self.note(claimed_until=until)
        self.until, self.renewed_at = until, time.monotonic()

    def note(self, **fields: Any) -> None:
        """Write these fields of the mail's row. Raises ClaimLost."""
        if not InboundEmail.objects.filter(pk=self.pk, claimed_until=self.until).update(**fields):
            raise ClaimLost


def _find_next() -> QuerySet[InboundEmail, int]:
    stored = InboundEmail.objects.filter(state=State.STORED)
    # At the lobby, which everybody writes to, nobody waits for a stranger's mail.
    same = Q(envelope_to=OuterRef("envelope_to")) & (
        ~Q(envelope_to=comparable(settings.PLAY_ADDRESS)) | Q(sender=OuterRef("sender"))
    )
    earlier = stored.filter(same).filter(
        Q(received_at__lt=OuterRef("received_at"))
        | Q(received_at=OuterRef("received_at"), pk__lt=OuterRef("pk"))
    )
    # Claimed for longer than any claim lasts: by a clock that was put back since.
    is_over = Q(claimed_until__lte=Param("now", DateTimeField())) | Q(
        claimed_until__gt=Param("longest", DateTimeField())
    )
    free = stored.filter(Q(claimed_until=None) | is_over).exclude(Exists(earlier))
    if connection.features.has_select_for_update_skip_locked:
        free = free.select_for_update(skip_locked=True)
    return free.order_by("received_at", "pk").values_list("pk", flat=True)[:1]


_next = Prepared(_find_next)


def process(pk: int) -> None:
    """Judge one claimed mail and note the verdict with its answer in one commit; safe to run again after a crash.

    The claim is renewed during the work. A worker that has lost it nevertheless notes nothing: the mail is another's.
    """
    (row,) = _stored(pk=pk)
    if row.attempts > ATTEMPTS:
        log.error("mail %s has ended %d processes that read it; it is left alone", pk, ATTEMPTS)
        _give_up(row)
        return
    own_claim = Claim(row)
    try:
        verdict = with_new_plans(judge, row, own_claim.keep)
        with_new_plans(_conclude, row, verdict, own_claim)
    except ClaimLost:
        log.warning("mail %s was taken over by another worker", pk)
        return
    except Exception as error:  # whatever is wrong with one mail, the others are read
        if is_passing(error):
            _put_off(row, error)
        elif is_outrun(error) and row.attempts < ATTEMPTS:
            _put_off(row, error, is_counted=True)
        else:
            log.exception("mail %s could not be processed", pk)
            if row.attempts >= ATTEMPTS:
                _give_up(row)
        return
    log.info("read: %s", row.state, extra={"code": row.code, "message_id": row.message_id})


def _conclude(row: InboundEmail, verdict: Verdict, own_claim: Claim) -> None:
    """Note the verdict and queue its answer. Raises ClaimLost."""
    with transaction.atomic():
        row.state = verdict.state
        row.code = verdict.code[:40]
        row.user, row.seat = verdict.user, verdict.seat
        row.results = [result.to_json() for result in verdict.results]
        row.processed_at = clock.now()
        own_claim.note(
            state=row.state,
            code=row.code,
            user=row.user,
            seat=row.seat,
            results=row.results,
            processed_at=row.processed_at,
        )
        if verdict.erases and verdict.user:
            answers.erase_and_say_so(row, verdict.user)
            return
        if verdict.answer:
            answers.answer(row, verdict)
        answers.release_turns(row.user)


_stored = Prepared(lambda: InboundEmail.objects.filter(pk=Param("pk")))


def _give_up(row: InboundEmail) -> None:
    row.state, row.code = State.UNREADABLE, InboundEmail.SERVER_ERROR
    row.save(update_fields=["state", "code"])


def _put_off(row: InboundEmail, error: Exception, *, is_counted: bool = False) -> None:
    """Let the other mails be read first: somebody has locked rows of this one, which is not its fault.

    `is_counted`: somebody has deleted such a row, as an account that is erased; read again, the mail finds it gone.
    """
    log.warning("mail %s is put off: %s", row.pk, type(error.__cause__ or error).__name__)
    attempts = F("attempts") if is_counted else F("attempts") - 1
    InboundEmail.objects.filter(pk=row.pk).update(claimed_until=clock.now() + PUT_OFF, attempts=attempts)
