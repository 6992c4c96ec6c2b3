"""Processes a stored mail: establish its authority, read it, carry it out, note the result, answer."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet

from games.contract import Message
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult, Verdict
from gemserver.lib import clock, logs
from gemserver.lib.database_faults import is_passing, with_new_plans
from gemserver.lib.mail_address import comparable
from gemserver.lib.nudge import nudge
from gemserver.lib.patterns import TooMuchWork, limited
from gemserver.lib.prepared import Param, Prepared
from gemserver.mailgate import answers, delivery_reports, operators, sign_up
from gemserver.mailgate.addresses import Recipient, find_recipients, is_own_address
from gemserver.mailgate.answered_mails import find_answered, quoted_words, when_shown
from gemserver.mailgate.authority import (
    Authority,
    Proof,
    Unauthorised,
    answered_turn,
    establish,
    is_to_lobby,
)
from gemserver.mailgate.commands import (
    COMMAND_WORDS,
    Command,
    Line,
    is_confirmation,
    is_irreversible,
    read_lines,
    read_subject,
)
from gemserver.mailgate.digest_answers import answered_prompts
from gemserver.mailgate.execute import Execution
from gemserver.mailgate.parse import STEPS, ParsedMail, UnreadableMail, parse, parse_header, too_much_work
from gemserver.mailgate.reading.text_lines import MAX_TEXT
from gemserver.mailgate.reply import read_reply
from gemserver.mailgate.sign_up import Newcomer
from gemserver.notify.envelope import message_returned_to
from gemserver.notify.models import OutboxMessage

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
    held = Claim(row)
    try:
        verdict = with_new_plans(judge, row, held.keep)
        with_new_plans(_conclude, row, verdict, held)
    except ClaimLost:
        log.warning("mail %s was taken over by another worker", pk)
        return
    except Exception as error:  # whatever is wrong with one mail, the others are read
        if is_passing(error):
            _put_off(row, error)
        else:
            log.exception("mail %s could not be processed", pk)
            if row.attempts >= ATTEMPTS:
                _give_up(row)
        return
    log.info("read: %s", row.state, extra={"code": row.code, "message_id": row.message_id})


def _conclude(row: InboundEmail, verdict: Verdict, held: Claim) -> None:
    """Note the verdict and queue its answer. Raises ClaimLost."""
    with transaction.atomic():
        row.state = verdict.state
        row.code = verdict.code[:40]
        row.user, row.seat = verdict.user, verdict.seat
        row.results = [result.to_json() for result in verdict.results]
        row.processed_at = clock.now()
        held.note(
            state=row.state,
            code=row.code,
            user=row.user,
            seat=row.seat,
            results=row.results,
            processed_at=row.processed_at,
        )
        if verdict.answer:
            answers.answer(
                row,
                previewed=verdict.previewed,
                secrets=verdict.secrets,
                is_last=verdict.is_last_answer,
            )


_stored = Prepared(lambda: InboundEmail.objects.filter(pk=Param("pk")))


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's readable mail: its row, its content, the mails of ours that it answers, and its lines."""

    row: InboundEmail
    mail: ParsedMail
    answered: Sequence[OutboxMessage]
    lines: Sequence[Line]
    keep_claim: Callable[[], None]


OF_A_STRANGER = 20_000
"""Characters of readable text that are read of a mail without authority."""


def judge(row: InboundEmail, keep_claim: Callable[[], None] = lambda: None) -> Verdict:
    """Carry out everything that the mail asks for; nothing is noted yet.

    Its writer is established from the header, before the text is looked at. `keep_claim` is called between the steps;
    it may raise to end them.
    """
    try:
        mail = parse_header(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT)
        if mail.is_report or message_returned_to(row.envelope_to):
            mail = _parse(row, OF_A_STRANGER)
            if report := delivery_reports.judge(row, mail):
                return report
    except UnreadableMail as error:
        return _judge_unreadable(row, error)
    if reason := _machine_made(row, mail):
        return Verdict(State.DROPPED, reason)
    if passed_on := operators.judge(row):
        return passed_on
    recipients = _recipients(row, mail)
    established = _establish(row, mail, recipients)
    try:
        reply = _read(row, mail, recipients, established, keep_claim)
    except UnreadableMail as error:
        return _judge_unreadable(row, error)
    keep_claim()
    if newcomer := sign_up.welcome(row, reply.mail, reply.lines):
        return _carry_out(reply, Authority(newcomer.user, None, Proof.PASS, is_binding=False), newcomer)
    if isinstance(established, Unauthorised):
        return _judge_unauthorised(reply, established)
    return _carry_out(reply, established)


def _parse(row: InboundEmail, most: int) -> ParsedMail:
    return parse(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT, most=most)


def _establish(
    row: InboundEmail, mail: ParsedMail, recipients: Sequence[Recipient]
) -> Authority | Unauthorised:
    try:
        return establish(row, mail, recipients)
    except Unauthorised as refusal:
        return refusal


_READ_THOUGH_UNAUTHORISED = frozenset({"stranger", "foreign-sender"})
"""Refusals of mail whose content still matters: its writer is asked about it, or it is held."""


def _read(
    row: InboundEmail,
    header: ParsedMail,
    recipients: Sequence[Recipient],
    established: Authority | Unauthorised,
    keep_claim: Callable[[], None],
) -> Reply:
    """Read the mail; at most `OF_A_STRANGER` characters if it has no authority, nothing if nobody would be asked.

    Raises UnreadableMail.
    """
    most = MAX_TEXT
    if isinstance(established, Unauthorised):
        if established.code not in _READ_THOUGH_UNAUTHORISED and not is_to_lobby(row, header):
            return Reply(row, header, (), (), keep_claim)
        most = OF_A_STRANGER
    try:
        with limited(STEPS):
            mail = _parse(row, most)
            answered = find_answered(mail, recipients)
            typed = read_reply(
                mail.text,
                quoted_words(mail, answered, recipients),
                beside=mail.beside,
                is_command=partial(_is_command, row, established),
            )
            return Reply(row, mail, answered, read_lines(typed), keep_claim)
    except TooMuchWork:
        raise too_much_work(header) from None


def _is_command(row: InboundEmail, established: Authority | Unauthorised, line: str) -> bool:
    """True if a line that could be a name is a command, or a move in a match of the authorised player."""
    if isinstance(established, Unauthorised):
        return line.lower() in COMMAND_WORDS
    player = Execution(established.user, established.seat, None, row.received_at, row.request_prefix)
    return line.lower() in COMMAND_WORDS or player.can_read(line)


def _recipients(row: InboundEmail, mail: ParsedMail) -> list[Recipient]:
    return find_recipients((row.envelope_to, *mail.recipients), row.received_at)


def _machine_made(row: InboundEmail, mail: ParsedMail) -> str | None:
    """Evidence that no person wrote this mail: never acted on, never answered (mail-requirements.md L2–L7)."""
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
"""Refusals that the player is told, once a day; the sender of other refused mail may be anybody."""


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
    """Keep the mail until the player has said, from the registered address, whether it was theirs.

    See mail-requirements.md S4.

    Irreversible commands are never held: the player sends them again from an address of theirs.
    """
    holdable = [line for line in reply.lines if not is_irreversible(line)]
    told = answers.was_told_today(refusal.code, refusal.user, reply.row)
    if told or refusal.seat is None or not holdable:
        return Verdict(State.DROPPED, "foreign-sender", user=refusal.user, seat=refusal.seat)
    shown = tuple(LineResult(answers.line_text(line), "unread", "held") for line in holdable)
    return Verdict(State.HELD, "foreign-sender", refusal.user, refusal.seat, shown, answer=True)


def _carry_out(reply: Reply, authority: Authority, newcomer: Newcomer | None = None) -> Verdict:
    """Carry out the lines; for a newcomer first the wishes from before they had an account."""
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
        keep_claim=reply.keep_claim,
    )
    if newcomer:
        execution.results.append(newcomer.said)
        lines = [*newcomer.wishes, *(line for line in lines if not is_confirmation(line))]
    execution.run(lines)
    if not execution.has_command:
        execution.run(read_subject(mail.subject))  # see mail-requirements.md T7
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


def _give_up(row: InboundEmail) -> None:
    row.state, row.code = State.UNREADABLE, "server-error"
    row.save(update_fields=["state", "code"])


def _put_off(row: InboundEmail, error: Exception) -> None:
    """Let the other mails be read first: somebody has locked rows of this one, which is not its fault."""
    log.warning("mail %s is put off: %s", row.pk, type(error.__cause__).__name__)
    later = clock.now() + PUT_OFF
    InboundEmail.objects.filter(pk=row.pk).update(claimed_until=later, attempts=F("attempts") - 1)
