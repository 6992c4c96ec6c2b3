"""What becomes of a stored mail: read it, establish who may do what, carry it out, note the result, answer."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet

from games.contract import Message
from gemserver.lib import clock, logs
from gemserver.lib.database_faults import is_passing, with_new_plans
from gemserver.lib.nudge import nudge
from gemserver.lib.prepared import Given, Prepared
from gemserver.lib.prepared_writes import PreparedUpdate
from gemserver.mailgate import answers, delivery_reports, operators, sign_up
from gemserver.mailgate.addresses import Recipient, find_recipients, is_own_address
from gemserver.mailgate.answered_mails import find_answered, quoted_words, when_shown
from gemserver.mailgate.authority import Authority, Proof, Unauthorised, answered_turn, establish
from gemserver.mailgate.commands import (
    Command,
    Line,
    is_confirmation,
    is_irreversible,
    read_lines,
    read_subject,
)
from gemserver.mailgate.digest_answers import answered_prompts
from gemserver.mailgate.execute import Execution
from gemserver.mailgate.models import InboundEmail
from gemserver.mailgate.parse import ParsedMail, UnreadableMail, parse
from gemserver.mailgate.reply import read_reply
from gemserver.mailgate.results import LineResult, Verdict
from gemserver.mailgate.sign_up import Newcomer
from gemserver.notify.models import OutboxMessage

log = logging.getLogger(__name__)

CLAIM = timedelta(seconds=settings.CLAIM_SECONDS)
ATTEMPTS = 5
"""Counted when a mail is taken up, so that one that ends the process reading it is given up too."""
PUT_OFF = timedelta(seconds=15)
"""Before a mail is taken up again that waited in vain for a row that somebody holds."""

State = InboundEmail.State


def process_stored(longest: float = math.inf) -> int:
    """Process waiting mails until none is left, or for so many seconds; how many there were.

    What is left then another task takes up, behind those that wait.
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
    """A waiting mail that nobody has, for this caller alone for the time of `CLAIM`; None when there is none.

    The mails to one address are taken one after the other, in order of receipt (`email.md` I4); at the lobby's, those
    of one sender.
    """
    with transaction.atomic():
        for pk in _next(now=now, longest=now + CLAIM):
            InboundEmail.objects.filter(pk=pk).update(claimed_until=now + CLAIM, attempts=F("attempts") + 1)
            return pk
    return None


def _find_next() -> QuerySet[InboundEmail, int]:
    stored = InboundEmail.objects.filter(state=State.STORED)
    # At the address that everybody writes to nobody waits for a stranger's mail.
    same = Q(envelope_to=OuterRef("envelope_to")) & (
        ~Q(envelope_to__iexact=settings.PLAY_ADDRESS) | Q(sender=OuterRef("sender"))
    )
    earlier = stored.filter(same).filter(
        Q(received_at__lt=OuterRef("received_at"))
        | Q(received_at=OuterRef("received_at"), pk__lt=OuterRef("pk"))
    )
    # Claimed for longer than anybody claims: by a clock that was put back since.
    is_over = Q(claimed_until__lte=Given("now", DateTimeField())) | Q(
        claimed_until__gt=Given("longest", DateTimeField())
    )
    free = stored.filter(Q(claimed_until=None) | is_over).exclude(Exists(earlier))
    if connection.features.has_select_for_update_skip_locked:
        free = free.select_for_update(skip_locked=True)
    return free.order_by("received_at", "pk").values_list("pk", flat=True)[:1]


_next = Prepared(_find_next)


def process(pk: int) -> None:
    """Judge one claimed mail and note the verdict with its answer in one commit; safe to run again after a crash."""
    (row,) = _stored(pk=pk)
    if row.attempts > ATTEMPTS:
        log.error("mail %s has ended %d processes that read it; it is left alone", pk, ATTEMPTS)
        _give_up(row)
        return
    try:
        verdict = with_new_plans(judge, row)
        with_new_plans(_conclude, row, verdict)
    except Exception as error:  # whatever one mail does, the others are read
        if is_passing(error):
            _put_off(row, error)
        else:
            log.exception("mail %s could not be processed", pk)
            _note_failure(row)
        return
    log.info("read: %s", row.state, extra={"code": row.code, "message_id": row.message_id})


def _conclude(row: InboundEmail, verdict: Verdict) -> None:
    """Note the verdict and queue its answer."""
    with transaction.atomic():
        row.state = verdict.state
        row.code = verdict.code[:40]
        row.user, row.seat = verdict.user, verdict.seat
        row.results = [result.to_json() for result in verdict.results]
        row.processed_at = clock.now()
        _note([row])
        if verdict.answer:
            answers.answer(
                row,
                previewed=verdict.previewed,
                secrets=verdict.secrets,
                is_last=verdict.is_last_answer,
            )


_stored = Prepared(lambda: InboundEmail.objects.filter(pk=Given("pk")))
_note = PreparedUpdate(InboundEmail, "state", "code", "user", "seat", "results", "processed_at")


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's mail that could be read: its row, what it says, which mails of ours it answers, and its lines."""

    row: InboundEmail
    mail: ParsedMail
    answered: Sequence[OutboxMessage]
    lines: Sequence[Line]


def judge(row: InboundEmail) -> Verdict:
    """Everything that follows from the mail, carried out; nothing is noted yet."""
    try:
        mail = parse(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT)
    except UnreadableMail as error:
        return _judge_unreadable(row, error)
    if report := delivery_reports.judge(row, mail):
        return report
    if reason := _machine_made(row, mail):
        return Verdict(State.DROPPED, reason)
    if passed_on := operators.judge(row):
        return passed_on
    recipients = _recipients(row, mail)
    answered = find_answered(mail, recipients)
    lines = read_lines(read_reply(mail.text, quoted_words(mail, answered, recipients)))
    reply = Reply(row, mail, answered, lines)
    if newcomer := sign_up.welcome(row, mail, lines):
        return _carry_out(reply, Authority(newcomer.user, None, Proof.PASS, is_binding=False), newcomer)
    try:
        authority = establish(row, mail, recipients)
    except Unauthorised as refusal:
        return _judge_unauthorised(reply, refusal)
    return _carry_out(reply, authority)


def _recipients(row: InboundEmail, mail: ParsedMail) -> list[Recipient]:
    return find_recipients((row.envelope_to, *mail.recipients), row.received_at)


def _machine_made(row: InboundEmail, mail: ParsedMail) -> str | None:
    """Why this is no person's mail: never acted upon, never answered (`email.md` L2–L7)."""
    if not row.envelope_from:
        return "automatic:null-sender"
    if mail.automatic:
        return f"automatic:{mail.automatic}"
    return "own-mail" if any(is_own_address(address) for address in mail.from_addresses) else None


def _judge_unreadable(row: InboundEmail, error: UnreadableMail) -> Verdict:
    result = LineResult("", "unread", error.code, error.message)
    try:
        if error.mail is None or _machine_made(row, error.mail):
            return Verdict(State.UNREADABLE, error.code, results=(result,))
        authority = establish(row, error.mail, _recipients(row, error.mail))
    except Unauthorised:
        return Verdict(State.UNREADABLE, error.code, results=(result,))
    return Verdict(
        State.UNREADABLE, error.code, user=authority.user, seat=authority.seat, results=(result,), answer=True
    )


_TOLD = frozenset({"several-seats", "forged", "unproved", "unproved-to-lobby", "sent-on", "former-address"})
"""Refusals that the player is told, once a day; of others the sender may be anybody."""


def _judge_unauthorised(reply: Reply, refusal: Unauthorised) -> Verdict:
    if refusal.code == "stranger":
        has_command = any(isinstance(line, Command) for line in reply.lines)
        return sign_up.ask(
            reply.row, reply.mail, reply.lines if has_command else read_subject(reply.mail.subject)
        )
    if refusal.code == "foreign-sender" and refusal.user is not None:
        if reply.row.released_at is not None:
            released = Authority(refusal.user, refusal.seat, Proof.NONE, is_binding=False)
            return _carry_out(reply, released)
        return _hold(reply, refusal)
    told = refusal.code in _TOLD
    return Verdict(
        State.REFUSED if told else State.DROPPED,
        refusal.code,
        user=refusal.user,
        seat=refusal.seat,
        answer=told and not answers.was_told_today(refusal.code, refusal.user, reply.row),
    )


def _hold(reply: Reply, refusal: Unauthorised) -> Verdict:
    """Keep the mail until the player has said, from the registered address, whether it was theirs (`email.md` S4).

    What cannot be undone is never held: the player sends it again from an address of theirs.
    """
    holdable = [line for line in reply.lines if not is_irreversible(line)]
    told = answers.was_told_today(refusal.code, refusal.user, reply.row)
    if told or refusal.seat is None or not holdable:
        return Verdict(State.DROPPED, "foreign-sender", user=refusal.user, seat=refusal.seat)
    shown = tuple(LineResult(answers.line_text(line), "unread", "held") for line in holdable)
    return Verdict(State.HELD, "foreign-sender", refusal.user, refusal.seat, shown, answer=True)


def _carry_out(reply: Reply, authority: Authority, newcomer: Newcomer | None = None) -> Verdict:
    """Do what the lines say; for a newcomer first what they had asked for before they had an account."""
    row, mail, lines = reply.row, reply.mail, reply.lines
    execution = Execution(
        user=authority.user,
        seat=authority.seat,
        turn=answered_turn(mail, authority.seat) if authority.seat else None,
        received_at=row.received_at,
        request_prefix=row.request_prefix,
        prompts={} if authority.seat else answered_prompts(mail, reply.answered, authority.user),
        shown_at=when_shown(mail, reply.answered, authority.user),
        is_binding=authority.is_binding,
        earlier=[LineResult.from_json(result) for result in row.results],
        keep=partial(_keep, row),
    )
    if newcomer:
        execution.results.append(newcomer.said)
        lines = [*newcomer.wishes, *(line for line in lines if not is_confirmation(line))]
    execution.run(lines)
    if not execution.has_command:
        execution.run(read_subject(mail.subject))  # only when the text holds no command (`email.md` T7)
    if mail.has_attachments and not execution.has_command:
        execution.results.append(LineResult("", "unread", "attachment", _ATTACHMENT))
    if mail.looks_automatic and not execution.has_effect:
        return Verdict(
            State.DROPPED, "automatic:subject", authority.user, authority.seat, tuple(execution.results)
        )
    extent = answers.extent(authority.user, authority.seat, row, execution.results)
    return Verdict(
        State.DONE if execution.has_effect else State.REFUSED,
        "" if execution.has_effect else _main_code(execution.results),
        authority.user,
        authority.seat,
        tuple(execution.results),
        answer=extent is not answers.Extent.NONE,
        is_last_answer=extent is answers.Extent.LAST,
        previewed=execution.previewed,
        secrets=execution.secrets,
    )


_ATTACHMENT = Message("Attachments are not opened. Write your commands in the text of a mail.")


def _keep(row: InboundEmail, results: Sequence[LineResult]) -> None:
    row.results = [result.to_json() for result in results]
    row.save(update_fields=["results"])


def _main_code(results: list[LineResult]) -> str:
    refused = [result.code for result in results if result.outcome == "refused"]
    return (refused or ["nothing-read"])[0]


def _note_failure(row: InboundEmail) -> None:
    if row.attempts >= ATTEMPTS:
        _give_up(row)


def _give_up(row: InboundEmail) -> None:
    row.state, row.code = State.UNREADABLE, "server-error"
    row.save(update_fields=["state", "code"])


def _put_off(row: InboundEmail, error: Exception) -> None:
    """Let the others be read first: somebody holds what this mail is about, which is not its fault."""
    log.warning("mail %s is put off: %s", row.pk, type(error.__cause__).__name__)
    later = clock.now() + PUT_OFF
    InboundEmail.objects.filter(pk=row.pk).update(claimed_until=later, attempts=F("attempts") - 1)
