"""People without an account who write to the lobby: one question a day, and an account once it is answered.

See mail-requirements.md L9.

No words of a stranger's are ever sent out, and nothing at all is sent to a sender who may be forged or a machine: this
server must not be made to send mail to third parties.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from games import registry
from games.contract import Message
from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.newcomers import create_account, known_language
from gemserver.inbox import tickets
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.inbox.results import LineResult, Verdict
from gemserver.inbox.senders import sender_proof
from gemserver.lib import clock, signing
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.text.mail_address import comparable, domain_of
from gemserver.lib.text.mailto import mailto
from gemserver.lib.text.patterns import Pattern
from gemserver.lib.text.plain import tidy
from gemserver.mailgate.answering.receipts import name_answer
from gemserver.mailgate.authority import is_written_to_us, may_be_asked
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.lines.commands import Command, Line, MoveLine, Unread, read_subject
from gemserver.mailgate.lines.short_words import (
    begins_with_yes,
    guess_language,
    is_absence,
    language_of,
    read_wish,
)
from gemserver.mailgate.replies.consent import read_consent
from gemserver.mailgate.replies.joining import WORDS, list_choices, read_invited, read_joining
from gemserver.matches.actions.tables.answer_invitation import decline_invitation
from gemserver.matches.models import Match
from gemserver.matches.privacy import seen_by
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell

DAY = timedelta(days=1)
PER_DOMAIN_AND_HOUR = 50
"""Strangers of any domain who are asked per hour; some of `SIGN_UP_RATE` is left for others. Of a domain that many
players have, as large a share of `SIGN_UP_RATE` as it has of the newest players (mail-requirements.md L8)."""
NEWEST = 1000
"""Verified addresses, the newest, by which a domain's share of the players is known."""
HOUR = timedelta(hours=1)
MOST_WISHES = 5
MOST_CODES = 3
_CODE = Pattern(
    r"(?:(?:yes|oui|ja)[,.!]? )?"
    r"(?:confirm ?:? ?|(?:(?:here is |here's |voici |hier ist )?(?:my |the |mon |le |mein |der ))?"
    r"code(?: is| est| ist)? ?:? ?)?([a-z2-7]{5}-[a-z2-7]{5}) ?[.!]*",
    re.IGNORECASE,
)

State = InboundEmail.State


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A person who has just answered the question: the account, and their earlier wishes."""

    user: User
    wishes: tuple[Command, ...]
    said: LineResult
    lines: tuple[Line, ...]
    """The lines of this mail besides the answer."""


def ask(letter: Letter) -> Verdict:
    """Ask a stranger to confirm, or keep silent; question and ticket are one commit, so a second run asks nothing.

    The subject counts if the text has no command (mail-requirements.md T7).
    """
    row, mail, now = letter.row, letter.mail, clock.now()
    address = mail.from_addresses[0]
    invitation, lines = read_invited(letter, letter.lines)
    if invitation and _is_proved(letter) and any(_is_named(line, "decline") for line in lines):
        decline_invitation(invitation.pk, now=row.received_at)
        return Verdict(State.DROPPED, "declined")
    joining = read_joining(lines)
    if not joining.is_open and not any(isinstance(line, Command) for line in joining.lines):
        joining = read_joining(read_subject(mail.subject))
    lines = joining.lines
    wishes = [line for line in lines if isinstance(line, Command) and line.name in WORDS][:MOST_WISHES]
    with transaction.atomic():
        count_alone("strangers")
        wishes = wishes or _wishes_of_late_answer(address, lines)
        if reason := _reason_for_silence(letter, address, bool(wishes) or joining.is_open, now):
            return Verdict(State.DROPPED, reason)
        data = {"wishes": [[wish.name, wish.argument] for wish in wishes], "language": _language(letter)}
        data |= (
            {"choices": list(joining.choices) or list_choices(None)} if joining.is_open and not wishes else {}
        )
        code = tickets.issue(Ticket.Purpose.SIGN_UP, address, now=now, data=dict(data))
        tell(
            None,
            "sign-up",
            thread=f"sign-up:{row.pk}",
            data={"secret": {"code": code}, **data},
            dedup_key=f"sign-up:{row.pk}",
            message_id=f"<j.{row.pk}.{signing.mac('j', row.pk)}@{settings.MAIL_DOMAIN}>",
            now=now,
            to=address,
            in_reply_to=f"<{row.message_id}>" if row.message_id else "",
        )
    return Verdict(State.DONE, "asked-to-confirm")


def _reason_for_silence(letter: Letter, address: str, has_wish: bool, now: datetime) -> str | None:
    """The reason not to answer a stranger, as a stable code.

    Whoever asks for nothing that we know is answered only when the sender is proved, and while half of the questions
    of this hour are left for those who do: most such mail is unwanted.
    """
    asked = Ticket.objects.filter(purpose=Ticket.Purpose.SIGN_UP)
    if letter.mail.looks_automatic or is_absence(letter.typed):
        return "stranger"
    says_yes = _says_yes(letter) and _answers_question(letter)
    if not (has_wish or says_yes or (letter.typed.strip() and _is_proved(letter))):
        return "stranger"
    if not may_be_asked(letter.row):
        return "stranger-forged"
    if not _is_of_another_site(address) or UnreachableAddress.objects.filter(address=address).exists():
        return "stranger-unreachable"
    # Who answers the question with a yes that proves nothing, or in words that nobody understands, is asked once more.
    most = 1 if _answers_question(letter) and not _says(letter, "refuse") else 0
    if asked.filter(address=address, created_at__gt=now - DAY).count() > most:
        return "asked-already"
    lately = asked.filter(created_at__gt=now - HOUR)
    if not (has_wish or says_yes) and lately.count() >= settings.SIGN_UP_RATE // 2:
        return "too-many-strangers"
    if lately.count() >= settings.SIGN_UP_RATE:
        return "too-many-strangers"
    domain = f"@{domain_of(address)}"
    if lately.filter(address__endswith=domain).count() >= _most_of_domain(domain):
        return "too-many-strangers"
    return None


def _is_of_another_site(address: str) -> bool:
    """True if mail to it leaves us for a name on the internet: not `root@localhost`, `dora@[127.0.0.1]`, or our own."""
    domain = domain_of(address)
    return (
        address.isascii()
        and "." in domain.strip(".")
        and "[" not in domain
        and domain != settings.MAIL_DOMAIN
    )


def _most_of_domain(domain: str) -> float:
    """Strangers of a domain, as `@example.org`, who are asked in an hour."""
    newest = EmailAddress.objects.filter(verified=True).order_by("-pk").values_list("email", flat=True)
    addresses = list(newest[:NEWEST])
    share = sum(comparable(address).endswith(domain) for address in addresses) / max(len(addresses), 1)
    return max(PER_DOMAIN_AND_HOUR, settings.SIGN_UP_RATE * share if len(addresses) == NEWEST else 0)


def _wishes_of_late_answer(address: str, lines: Sequence[Line]) -> list[Command]:
    """The wishes behind a code that has come back too late: they are asked about anew."""
    for code in _codes(lines):
        ticket = tickets.find(Ticket.Purpose.SIGN_UP, code)
        if ticket and ticket.address == address and ticket.used_at is None:
            return _wishes(ticket)
    return []


def welcome(letter: Letter) -> Newcomer | None:
    """Make an account for a sender who answers our question at the lobby from the address it went to; else None.

    The answer is the code, typed; or a line that only says yes, if the sender is proved. A yes to an invitation by
    address, or its `join M17`, counts in the same way. Nothing counts that looks automatic, for such mail quotes ours.
    Safe to run again: the ticket remembers the mail that used it.
    """
    mail = letter.mail
    if len(mail.from_addresses) != 1 or mail.from_list or sender_proof(letter.row) == "fail":
        return None
    if mail.looks_automatic or is_absence(letter.typed):
        return None
    address = mail.from_addresses[0]
    coded = [(line, code) for line in letter.lines if (code := _code_in(line))][:MOST_CODES]
    rest = tuple(line for line in letter.lines if not _code_in(line))
    for line, code in coded:
        with transaction.atomic():
            ticket = tickets.find(Ticket.Purpose.SIGN_UP, code)
            if ticket and ticket.address == address and (user := _use(ticket, letter)):
                shown = f"confirm {code}" if isinstance(line, Command) else code
                return Newcomer(user, tuple(_wishes(ticket)), _said(shown, user), rest)
    return None if coded else _welcome_by_word(letter, address)


def _welcome_by_word(letter: Letter, address: str) -> Newcomer | None:
    """The account of a proved sender who says yes without the code."""
    if not _is_proved(letter):
        return None
    invitation, lines = read_invited(letter, letter.lines)
    if invitation and invitation.address == address and owner_of(address) is None:
        if not any(_is_named(line, "join") for line in lines):
            return None
        user = create_account(address, language=_language(letter))
        return Newcomer(user, (), _said(invitation.match.code, user), tuple(lines))
    if letter.replied_to is not None and letter.replied_to.kind != "sign-up":
        return None
    if not _says_yes(letter):
        return None
    with transaction.atomic():
        ticket = tickets.find_last(Ticket.Purpose.SIGN_UP, address)
        user_or_none = _use(ticket, letter) if ticket else None
        if ticket is None or user_or_none is None:
            return None
        lines = [line for line in read_consent(letter.lines, ()) if not _is_mere_yes(line)]
        return Newcomer(user_or_none, tuple(_wishes(ticket)), _said("yes", user_or_none), tuple(lines))


def _use(ticket: Ticket, letter: Letter) -> User | None:
    """The account that the ticket makes, or has made of this very mail; None if it is no longer good."""
    row = letter.row
    if tickets.is_open(ticket, row.received_at):
        language = str(ticket.data.get("language", "")) or _language(letter)
        ticket.user = create_account(ticket.address, language=language)
        ticket.used_at = clock.now()
        ticket.data["mail"] = row.pk
        ticket.save(update_fields=["user", "used_at", "data"])
    return ticket.user if ticket.data.get("mail") == row.pk else None


def _language(letter: Letter) -> str:
    """The language that the mail is in: by its header, its wish, or else its words; empty if unknown."""
    subject = read_subject(letter.mail.subject)
    said = (line.text for line in [*letter.lines, *subject] if not isinstance(line, Command))
    return (
        letter.mail.language or next(filter(None, map(language_of, said)), "") or guess_language(letter.typed)
    )


def _is_proved(letter: Letter) -> bool:
    """True if the mail comes from the address in From, and was written to us."""
    return sender_proof(letter.row) == "pass" and is_written_to_us(letter)


def _says_yes(letter: Letter) -> bool:
    """True for a yes and nothing else; in a reply to our question for any sentence that means it, or a raised thumb."""
    if _says(letter, "agree"):
        return True
    if not _answers_question(letter):
        return False
    if letter.reaction is not None:
        return bool(letter.reaction.agrees)
    sentences = [line.text for line in letter.lines if isinstance(line, MoveLine | Unread)]
    return any(begins_with_yes(text) or read_wish(text) for text in sentences)


def _says(letter: Letter, word: str) -> bool:
    return any(_is_named(line, word) for line in read_consent(letter.lines, ()))


def _answers_question(letter: Letter) -> bool:
    return letter.replied_to is not None and letter.replied_to.kind == "sign-up"


def _is_mere_yes(line: Line) -> bool:
    """True for a line that agrees and wishes for nothing else that we know."""
    is_sentence = (
        isinstance(line, MoveLine | Unread) and begins_with_yes(line.text) and not read_wish(line.text)
    )
    return is_sentence or _is_named(line, "agree")


def _is_named(line: Line, name: str) -> bool:
    return isinstance(line, Command) and line.name == name


def _said(shown: str, user: User) -> LineResult:
    return LineResult(
        shown,
        "done",
        "welcome",
        Message("You have an account; the others see you as “{name}”.", {"name": user.username}),
    )


def _codes(lines: Sequence[Line]) -> list[str]:
    return [code for line in lines if (code := _code_in(line))][:MOST_CODES]


def _code_in(line: Line) -> str:
    """The code of a line that says nothing else: `confirm CODE`, `CODE`, `My code is CODE.`; empty for any other.

    `To begin, write:  confirm CODE` is a line of ours, which notes of absence repeat.
    """
    if isinstance(line, Command):
        return line.argument if line.name == "confirm" else ""
    found = _CODE.fullmatch(line.text)
    return found[1].lower() if found else ""


def _wishes(ticket: Ticket) -> list[Command]:
    return [Command(name, argument) for name, argument in ticket.data.get("wishes", [])]


def question(message: OutboxMessage) -> Content | None:
    """The mail that asks a stranger to confirm; it describes their wishes in our words, never in theirs."""
    secret = message.data.get("secret")
    if secret is None:
        return None
    with translation.override(known_language(message.data["language"])):
        asks = gettext("Do you want to play here?")
        subject = name_answer(asks)
        context: dict[str, Any] = {
            "code": secret["code"],
            "games": [game.rules.meta.title for game in registry.GAMES.values()],
            "wishes": [
                text for name, argument in message.data["wishes"] if (text := _in_words(name, argument))
            ],
            "site_url": settings.SITE_URL,
            "choices": [
                (line, mailto(settings.PLAY_ADDRESS, f"Re: {subject}", f"confirm {secret['code']}\r\n{line}"))
                for line in message.data.get("choices", [])
            ],
            "confirm_url": mailto(settings.PLAY_ADDRESS, f"Re: {subject}", f"confirm {secret['code']}"),
            "subject": subject,
            "lead": asks,
            "preview": gettext("Do you want to play here? One answer makes your account."),
        }
        return Content(
            subject=subject,
            text=tidy(render_to_string("emails/sign_up.txt", context)),
            html=render_to_string("emails/sign_up.html", context),
            reply_to=settings.PLAY_ADDRESS,
            answers=True,
        )


def _in_words(name: str, argument: str) -> str:
    """The effect of a wish, in words that hold nothing but names of games and codes of matches."""
    word = argument.partition(" ")[0].lower()
    game = registry.GAMES.get(word)
    title = {"game": game.rules.meta.title if game else ""}
    match name:
        case "new" if game and " bots=" in argument:
            return gettext("You play %(game)s against a bot, in a match that nobody else sees.") % title
        case "new" if game:
            return gettext("You open a table of %(game)s.") % title
        case "join" if game:
            return gettext("You sit down at a table of %(game)s.") % title
        case "join" if Match.objects.filter(seen_by(None), code=word.upper()).exists():
            return gettext("You sit down at the table %(code)s.") % {"code": word.upper()}
        case "tutorial" if game:
            return gettext("You learn %(game)s, one step in each mail.") % title
        case "tutorial":
            return gettext("You choose a game to learn.")
        case "puzzle" if word == "on":
            return gettext("You get the puzzle of the day each morning.")
        case "puzzle" if word != "off":
            return gettext("You get the puzzle of the day.")
    return ""
