"""Decides what follows from a mail: who may act by it, what it says, what comes of each line, whether to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings

from games.contract import Message
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult, Verdict
from gemserver.lib.patterns import TooMuchWork, limited
from gemserver.mailgate import answers, delivery_reports, operators, sign_up
from gemserver.mailgate.addresses import Recipient, find_recipients, is_own_address
from gemserver.mailgate.answered_mails import Answered, find_answered
from gemserver.mailgate.authority import (
    Authority,
    Proof,
    Unauthorised,
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
from gemserver.mailgate.execute import Execution
from gemserver.mailgate.parse import STEPS, ParsedMail, UnreadableMail, parse, parse_header, too_much_work
from gemserver.mailgate.reading.text_lines import MAX_TEXT
from gemserver.mailgate.reply import read_reply
from gemserver.mailgate.sign_up import Newcomer
from gemserver.notify.envelope import message_returned_to

State = InboundEmail.State


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's readable mail: its row, its content, the mails of ours that it answers, and its lines."""

    row: InboundEmail
    mail: ParsedMail
    answered: Answered
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
            return Reply(row, header, Answered(header), (), keep_claim)
        most = OF_A_STRANGER
    try:
        with limited(STEPS):
            mail = _parse(row, most)
            answered = find_answered(mail, recipients)
            typed = read_reply(
                mail.text,
                answered.quoted_words(recipients),
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
        turn=reply.answered.turn(authority.seat) if authority.seat else None,
        received_at=row.received_at,
        request_prefix=row.request_prefix,
        prompts={} if authority.seat else reply.answered.prompts(authority.user),
        shown_at=reply.answered.shown_at(authority.user),
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
