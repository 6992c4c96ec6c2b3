"""Decides what follows from a mail: who may act by it, what it says, what comes of each line, whether to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from django.conf import settings

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult, Verdict
from gemserver.inbox.senders import sender_proof
from gemserver.lib.text.mail_address import comparable
from gemserver.mailgate import club_list, delivery_reports, operators, sign_up
from gemserver.mailgate.addresses import club_called_by, is_operators_address, is_own_address
from gemserver.mailgate.answering import answers
from gemserver.mailgate.authority import Authority, Unauthorised, establish
from gemserver.mailgate.execute import Execution
from gemserver.mailgate.header import ParsedMail, UnreadableMail, parse_header
from gemserver.mailgate.ingest import was_carried_out
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.line_results import in_match
from gemserver.mailgate.lines.commands import Command, Line, MoveLine, Unread, read_subject
from gemserver.mailgate.lines.courtesy import split_courtesies
from gemserver.mailgate.reading.text_lines import MAX_TEXT
from gemserver.mailgate.replies.consent import WORDS, Question, find_question, offer_words, read_consent
from gemserver.mailgate.replies.joining import read_invited, read_joining
from gemserver.mailgate.replies.lessons import read_lesson
from gemserver.mailgate.replies.listed_moves import find_lists
from gemserver.mailgate.replies.one_click import read_one_click
from gemserver.mailgate.replies.puzzle_replies import read_puzzle_reply
from gemserver.mailgate.replies.talk_replies import read_talk
from gemserver.mailgate.sign_up import Newcomer
from gemserver.matches import selectors
from gemserver.matches.notifications import turns_wait_for_receipt
from gemserver.notify.envelope import message_returned_to

State = InboundEmail.State

OF_A_STRANGER = 20_000
"""Characters of readable text that are read of a mail without authority."""
_READ_THOUGH_UNAUTHORISED = frozenset({"stranger", "foreign-sender"})
"""Refusals of mail whose content still matters: its writer is asked about it, or it is held."""


def judge(row: InboundEmail, keep_claim: Callable[[], None] = lambda: None) -> Verdict:
    """Carry out everything that the mail asks for; nothing is noted yet.

    Its writer is established from the header, before the text is looked at. `keep_claim` is called between the steps;
    it may raise to end them.
    """
    try:
        header = parse_header(bytes(row.raw or b""), max_size=settings.MAIL_SIZE_LIMIT)
        letter = Letter(row, header, keep_claim)
        if verdict := _judge_by_header(letter):
            return verdict
        writer = _find_writer(letter)
        _read_text(letter, writer)
    except UnreadableMail as error:
        return _judge_unreadable(row, error)
    keep_claim()
    return _judge_text(letter, writer)


def _judge_by_header(letter: Letter) -> Verdict | None:
    """Return what comes of reports, machines' mail, pressed buttons, mail to operators or a club; None for others."""
    row, header = letter.row, letter.mail
    returned = header.is_report or message_returned_to(row.envelope_to)
    if returned and (report := delivery_reports.judge(row, letter.parse_text(OF_A_STRANGER))):
        return report
    reason = _machine_made(row, header)
    if pressed := read_one_click(letter, reason):
        return _unsubscribe(letter, *pressed)
    if reason:
        return Verdict(State.DROPPED, reason)
    if is_operators_address(row.envelope_to):
        return operators.pass_on(row)
    if slug := club_called_by(row.envelope_to):
        return club_list.judge(letter, slug)
    return None


def _find_writer(letter: Letter) -> Authority | Unauthorised:
    try:
        return establish(letter)
    except Unauthorised as refusal:
        return refusal


def _read_text(letter: Letter, writer: Authority | Unauthorised) -> None:
    """Read as much as the writer may ask for: nothing of a mail whose content does not matter."""
    row = letter.row
    if isinstance(writer, Authority):
        reader = Execution(writer.user, writer.seat, None, row.counts_from, row.request_prefix)
        letter.read(MAX_TEXT, reader.can_read)
    elif writer.code in _READ_THOUGH_UNAUTHORISED or letter.is_to_lobby:
        letter.read(OF_A_STRANGER)


def _judge_text(letter: Letter, writer: Authority | Unauthorised) -> Verdict:
    if letter.is_to_lobby and (newcomer := sign_up.welcome(letter)):
        return _carry_out(letter, Authority(newcomer.user, None, is_binding=False), newcomer)
    if letter.reaction is not None:
        return _judge_reaction(letter, writer)
    if isinstance(writer, Unauthorised):
        return _judge_unauthorised(letter, writer)
    if not letter.row.results and was_carried_out(letter.mail, letter.row):
        return Verdict(State.DROPPED, "copy", user=writer.user, seat=writer.seat)
    return _carry_out(letter, writer)


def _unsubscribe(letter: Letter, user: User, command: Command) -> Verdict:
    """Stop the mail that a button was pressed for; like the link beside it, this answers nobody."""
    authority = Authority(user, None, is_binding=False)
    execution = _prepare(letter, authority, None)
    execution.run([command])
    return replace(_conclude(letter, authority, execution), answer=False)


def _machine_made(row: InboundEmail, header: ParsedMail) -> str | None:
    """Evidence that no person wrote this mail: never acted on, never answered (mail-requirements.md L2–L7)."""
    automatic = header.automatic if row.envelope_from else "null-sender"
    if automatic:
        return f"automatic:{automatic}"
    return "own-mail" if any(map(is_own_address, header.from_addresses)) else None


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The lines of a mail with commands for what is said in other words, and what its writer is asked back."""

    lines: Sequence[Line]
    question: Question | None
    """The question for consent that the mail replies to."""
    asked_back: LineResult | None


def _read_meaning(letter: Letter, authority: Authority, newcomer: Newcomer | None) -> _Meaning:
    """Read talk, wishes for a seat, and a yes or no; for a newcomer first the wishes from before."""
    lines: Sequence[Line] = letter.lines
    asked_back = None
    if newcomer:
        lines = [*newcomer.wishes, *newcomer.lines]
    elif (talk := read_talk(letter, authority)) is not None:
        asked_back = talk if isinstance(talk, LineResult) else None
        lines = [talk] if isinstance(talk, Command) else []
    elif (lesson := read_lesson(letter, authority)) is not None:
        return _Meaning(lesson, None, None)
    elif (tried := read_puzzle_reply(letter, authority)) is not None:
        return _Meaning(tried, None, None)
    elif authority.seat is None:
        _, lines = read_invited(letter, lines)
    if authority.seat is None:
        joining = read_joining(lines, authority.user)
        lines, asked_back = joining.lines, joining.offer
    question = None
    if not letter.mail.looks_automatic:
        question = find_question(letter, authority.user, authority.seat)
    if question:
        lines = read_consent(lines, selectors.names(question.seat.match) if question.seat else ())
    return _Meaning(lines, question, asked_back)


def _carry_out(letter: Letter, authority: Authority, newcomer: Newcomer | None = None) -> Verdict:
    """Carry out the lines; for a newcomer first the wishes from before they had an account."""
    meant = _read_meaning(letter, authority, newcomer)
    question = meant.question
    execution = _prepare(letter, authority, question)
    if newcomer:
        execution.results.append(newcomer.said)
    with turns_wait_for_receipt(authority.user):
        execution.run(meant.lines)
        if not execution.has_command and not meant.asked_back:
            meant = replace(meant, asked_back=_run_subject(execution, letter, authority))
    if meant.asked_back:
        execution.results.append(meant.asked_back)
    if question and not execution.has_command and any(map(_is_prose, meant.lines)) and question.is_open:
        execution.results.append(offer_words())
    if letter.mail.has_attachments and not execution.has_command:
        execution.results.append(LineResult("", "unread", "attachment", _ATTACHMENT))
    return _conclude(letter, authority, execution)


def _prepare(letter: Letter, authority: Authority, question: Question | None) -> Execution:
    """The execution of a mail's lines, of which none is carried out yet."""
    row, user, seat = letter.row, authority.user, authority.seat
    return Execution(
        user,
        seat,
        letter.turn(seat) if seat else None,
        row.counts_from,
        row.request_prefix,
        prompts={} if seat else letter.prompts(user),
        shown_at=letter.shown_at(user),
        answers_other=seat is not None and letter.answers_other_match(seat),
        is_binding=authority.is_binding,
        is_proved=lambda: _is_registered(row, user) and sender_proof(row) == "pass",
        question=question,
        find_lists=partial(find_lists, letter, user),
        earlier=[LineResult.from_json(result) for result in row.results],
        keep=partial(_keep, row),
        keep_claim=letter.keep_claim,
    )


def _conclude(letter: Letter, authority: Authority, execution: Execution) -> Verdict:
    """The verdict on a mail whose lines have been carried out, and whether its writer is answered."""
    user, seat = authority.user, authority.seat
    verdict = Verdict(State.DONE, "", user, seat, tuple(execution.results))
    if not execution.has_effect:
        if letter.mail.looks_automatic:
            return replace(verdict, state=State.DROPPED, code="automatic:subject")
        refused = [result.code for result in execution.results if result.outcome == "refused"]
        verdict = replace(verdict, state=State.REFUSED, code=(refused or ["nothing-read"])[0])
    allowance = answers.allowance(user, seat, execution.results)
    return replace(
        verdict,
        answer=allowance.answers,
        quiet_until=allowance.quiet_until,
        previewed=execution.previewed,
        secrets=execution.secrets,
        erases=any(result.code == "erase" and result.outcome == "done" for result in execution.results),
    )


def _run_subject(execution: Execution, letter: Letter, authority: Authority) -> LineResult | None:
    """Carry out the subject, whose lines count as the text's do (mail-requirements.md T7); return what is asked back.

    Above a text that is more than a greeting, one that means nothing is a mere subject: of it nothing is told.
    """
    lines: Sequence[Line] = read_subject(letter.mail.subject)
    if letter.typed.strip() and letter.mail.subject.strip(" .!").lower() == "stop":
        lines = ()  # it unsubscribes when it is all that the mail says
    asked_back = None
    if authority.seat is None:
        joining = read_joining(lines, authority.user)
        lines, asked_back = joining.lines, joining.offer
    above = len(execution.results)
    execution.run(lines, below=letter.lines)
    if split_courtesies(execution.results[:above])[1]:
        told = [each for each in execution.results[above:] if each.outcome != "unread" or each.candidates]
        execution.results[above:] = told
    return asked_back


def _is_registered(row: InboundEmail, user: User) -> bool:
    """True if the mail comes from the address to which the player's mail goes."""
    return comparable(row.sender) == comparable(user.mail_address() or "")


def _is_prose(line: Line) -> bool:
    return isinstance(line, MoveLine)


def _judge_reaction(letter: Letter, writer: Authority | Unauthorised) -> Verdict:
    """Take a raised thumb as the answer to the open question that it was put to; any other reaction is passed over.

    It counts only from the very address that was asked. Nobody is told of one that does not count.
    """
    silence = Verdict(State.DROPPED, "reaction", user=writer.user, seat=writer.seat)
    assert letter.reaction is not None
    agrees = letter.reaction.agrees
    if agrees is None or isinstance(writer, Unauthorised) or letter.mail.looks_automatic:
        return silence
    question = find_question(letter, writer.user, writer.seat)
    if question is None or not question.was_put_to(letter.row.sender):
        return silence
    if not question.is_open and not letter.row.results:  # with results it has been settled by this very mail
        return silence
    letter.lines = [Command(WORDS[0] if agrees else WORDS[1])]
    verdict = _carry_out(letter, writer)
    return verdict if verdict.state == State.DONE else silence


_ATTACHMENT = Message("Attachments are not opened. Write your commands in the text of a mail.")


def _keep(row: InboundEmail, results: Sequence[LineResult]) -> None:
    row.results = [result.to_json() for result in results]
    row.save(update_fields=["results"])


def _judge_unreadable(row: InboundEmail, error: UnreadableMail) -> Verdict:
    """Tell the player why the mail could not be read, if its header says who that is."""
    result = LineResult("", "unread", error.code, error.message)
    verdict = Verdict(State.UNREADABLE, error.code, results=(result,))
    if error.mail and not _machine_made(row, error.mail):
        with suppress(Unauthorised):
            authority = establish(Letter(row, error.mail))
            verdict = replace(verdict, user=authority.user, seat=authority.seat, answer=True)
    return verdict


_TOLD = frozenset({"several-seats", "forged", "unproved", "unproved-to-lobby", "sent-on", "former-address"})
"""Refusals that the player is told, once a day; the sender of other refused mail may be anybody."""


def _judge_unauthorised(letter: Letter, refusal: Unauthorised) -> Verdict:
    if refusal.code == "stranger":
        return sign_up.ask(letter)
    if refusal.code == "foreign-sender" and refusal.user is not None:
        if letter.row.released_at is not None:
            return _carry_out(letter, Authority(refusal.user, refusal.seat, is_binding=False))
        return _hold(letter, refusal)
    told = refusal.code in _TOLD and not letter.has_reaction_part
    return Verdict(
        State.REFUSED if told else State.DROPPED,
        refusal.code,
        user=refusal.user,
        seat=refusal.seat,
        answer=told and not answers.was_told_today(refusal.code, refusal.user, letter.row),
    )


def _hold(letter: Letter, refusal: Unauthorised) -> Verdict:
    """Keep the mail until the player has said, from the registered address, whether it was theirs.

    See mail-requirements.md S4.
    """
    lines = _list_held(letter.lines)
    if refusal.user is None or not lines or not answers.may_ask_about(letter.row, refusal.user):
        return Verdict(State.DROPPED, "foreign-sender", user=refusal.user, seat=refusal.seat)
    lines += _list_held(read_subject(letter.mail.subject))  # it is carried out where the text says nothing
    asked_about = tuple(LineResult(_as_asked_about(line), "unread", "held") for line in lines)
    return Verdict(State.HELD, "foreign-sender", refusal.user, refusal.seat, asked_about, answer=True)


def _list_held(lines: Sequence[Line]) -> list[Line]:
    """The lines without what cannot be undone, which is never held: it is sent again from an address of the player."""
    return [
        line
        for line in lines
        if not (isinstance(line, Command) and line.name in ("resign", "erase") and line.argument)
    ]


def _as_asked_about(line: Line) -> str:
    """A line as the question about a mail on hold shows it, in full."""
    match line:
        case Unread(text):
            return text
        case Command(name, argument):
            return in_match(line, f"{name} {argument}".strip())
        case MoveLine():
            number = f" #{line.prompt_ply}" if line.prompt_ply is not None else ""
            return in_match(line, f"{'preview ' if line.preview else ''}{line.text}{number}")
