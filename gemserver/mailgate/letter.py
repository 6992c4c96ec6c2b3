"""A mail on its way to its verdict: as it came, the mails of ours that it answers, and the lines its writer typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib.database.prepared import Param, ParamSet, Prepared
from gemserver.lib.text.fingerprint import Fingerprint
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.text.patterns import TooMuchWork, limited
from gemserver.mailgate.addresses import Recipient, find_recipients
from gemserver.mailgate.header import ParsedMail
from gemserver.mailgate.lines.command_words import COMMAND_WORDS
from gemserver.mailgate.lines.commands import Line, read_lines
from gemserver.mailgate.parse import STEPS, read_text, too_much_work
from gemserver.mailgate.reactions import Reaction, read_reaction
from gemserver.mailgate.reading.body import REACTION_TYPE
from gemserver.mailgate.reply import read_reply
from gemserver.matches import mail_ids
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage
from gemserver.notify.sent_words import read_sent_words

MOST_IDS = 20
MOST_MAILS = 3
"""Mails that are compared: the answered one, and those that a client quotes below it."""


@dataclass
class Letter:
    """A person's mail: its row and its header at first; `read` adds the rest."""

    row: InboundEmail
    mail: ParsedMail
    keep_claim: Callable[[], None] = lambda: None
    """Called between the steps of the work; raises if another worker has the mail."""
    answered: Sequence[OutboxMessage] = ()
    """The mails of ours that it answers, the likeliest first: by its headers, then by quoted `Ref:` lines."""
    typed: str = ""
    """The text that its writer typed, without quote and signature."""
    lines: Sequence[Line] = ()
    reaction: Reaction | None = None
    """Set if the mail is a reaction, of which no line is read."""

    @cached_property
    def recipients(self) -> Sequence[Recipient]:
        """The owners of the addresses that it went to."""
        return find_recipients((self.row.envelope_to, *self.mail.recipients), self.row.counts_from)

    @property
    def references(self) -> Sequence[str]:
        """The Message-IDs that its headers name, the answered mail's first."""
        named = (*self.mail.in_reply_to, *reversed(self.mail.references))
        return [f"<{reference.strip('<>')}>" for reference in named]

    @property
    def replied_to(self) -> OutboxMessage | None:
        """The mail of ours that In-Reply-To names, or without that field the last one in References."""
        first = next(iter(self.references), None)
        return next((each for each in self.answered if each.message_id == first), None)

    @property
    def has_reaction_part(self) -> bool:
        """True if it seems to be a reaction, told without reading it."""
        return REACTION_TYPE.encode() in bytes(self.row.raw or b"").lower()

    @property
    def is_to_lobby(self) -> bool:
        """True if it was sent to the one address that everybody knows."""
        lobby = comparable(settings.PLAY_ADDRESS)
        return self.row.envelope_to == lobby or lobby in self.mail.recipients

    def read(self, most: int, is_move: Callable[[str], bool] = lambda line: False) -> None:
        """Read the first `most` characters of its text.

        `is_move` is asked about lines that could be a name. Raises UnreadableMail.
        """
        try:
            with limited(STEPS):
                self.mail = self.parse_text(most)
                self.answered = self._find_answered()
                self.typed = read_reply(
                    self.mail.text,
                    self.quoted_words(),
                    beside=self.mail.beside,
                    is_command=lambda line: line.lower() in COMMAND_WORDS or is_move(line),
                )
                is_one = self.mail.reaction is not None
                self.reaction = (
                    Reaction(self.mail.reaction or "")
                    if is_one
                    else read_reaction(self.mail.text, self.typed)
                )
                self.lines = () if self.reaction else read_lines(self.typed)
        except TooMuchWork:
            raise too_much_work(self.mail) from None

    def parse_text(self, most: int) -> ParsedMail:
        """Return the mail with its text, of which the first `most` characters are read. Raises UnreadableMail."""
        raw = bytes(self.row.raw or b"")
        return read_text(raw, self.mail, max_size=settings.MAIL_SIZE_LIMIT, most=most)

    def shown_at(self, user: User) -> datetime | None:
        """The instant at which the mail of ours that the headers name was sent to its writer; None if unknown."""
        named = set(self.references)
        theirs = (each for each in self.answered if each.message_id in named and each.user_id == user.pk)
        return next((each.sent_at for each in theirs if each.sent_at), None)

    def turn(self, seat: Seat) -> int | None:
        """The prompt of this seat that is answered; None if unknown (mail-requirements.md T1).

        Turn 0 (the start mail) asked for nothing, so it counts as unknown. The Message-ID of a receipt names no turn,
        its `Ref:` line does; what the receipt followed, further up in References, is not what was answered.
        """
        ours = {each.message_id for each in self.answered}
        refs = []
        for reference in self.references:
            refs.append(mail_ids.read_message_id(reference))
            if reference in ours:
                break
        for ref in (*refs, mail_ids.find_ref_line(self.mail.text)):
            if ref and ref.match == seat.match_id and ref.seat == seat.index:
                return ref.turn or None
        return None

    def answers_other_match(self, seat: Seat) -> bool:
        """True if the mail of ours that it answers is about another match than the one it was sent to."""
        answered = mail_ids.read_message_id(next(iter(self.references), ""))
        refs = [answered] if answered else mail_ids.find_ref_lines(self.mail.text)
        return bool(refs) and all(ref.match != seat.match_id for ref in refs)

    def prompts(self, user: User) -> Mapping[int, int]:
        """Match (primary key) → prompt, by the user's digest that is answered, else by the `Ref:` lines it quotes.

        See mail-requirements.md T1.
        """
        digests = [each for each in self.answered if each.kind == "digest" and each.user_id == user.pk]
        if digests:
            newest = max(digests, key=lambda digest: digest.pk)
            return {prompt["match"]: prompt["turn"] for prompt in newest.data["prompts"]}
        return {ref.match: ref.turn for ref in mail_ids.find_ref_lines(self.mail.text) if ref.turn}

    def _find_answered(self) -> Sequence[OutboxMessage]:
        """Find the mails of ours that this one answers; their words are not its writer's (mail-requirements.md Q2).

        Only mails to its writer, or to the owner of the address it came to, are found: nobody learns by sending guesses
        whether they stand in a mail to somebody else.
        """
        ids = list(dict.fromkeys(islice(self._answered_ids(), MOST_IDS)))
        found = {each.message_id: each for each in _named(ids=ids, **self._readers())} if ids else {}
        return [found[each] for each in ids if each in found]

    def _answered_ids(self) -> Iterable[str]:
        """Message-IDs of ours, the likeliest first; a `Ref:` line gives them if the header was lost on the way."""
        yield from self.references
        for ref in mail_ids.find_ref_lines(self.mail.text):
            for kind in ("turn", "reminder"):
                yield mail_ids.message_id(kind, ref.match, ref.turn, ref.seat)

    def quoted_words(self) -> list[Fingerprint]:
        """The words of the answered mails, or else of the last ones that could be quoted."""
        messages = [message for message in self.answered if message.sent_words is not None]
        if not messages:
            seats = [each.seat for each in self.recipients if each.seat]
            users = [each.user for each in self.recipients if each.user and not each.seat]
            threads = {seat.match.thread for seat in seats}
            threads |= {f"{kind}:{user.pk}" for user in users for kind in ("user", "digest")}
            messages = _last(threads=threads, **self._readers()) if threads else []
        return [words for message in messages[:MOST_MAILS] for words in read_sent_words(message)]

    def _readers(self) -> Mapping[str, object]:
        """The people who may have read the answered mail, as parameters of `_to_readers`."""
        return {
            "users": {recipient.user.pk for recipient in self.recipients if recipient.user},
            "sender": next(iter(self.mail.from_addresses), ""),
        }


def _to_readers() -> QuerySet[OutboxMessage]:
    """The mails to these users, to the sender's address, or to whoever has proved that it is theirs."""
    sender = Param("sender", CharField())
    theirs = EmailAddress.objects.filter(email=sender, user=OuterRef("user"), verified=True)
    sent = OutboxMessage.objects.only("message_id", "user", "to", "kind", "data", "sent_at", "sent_words")
    return sent.filter(Q(user__in=ParamSet("users")) | Q(to=sender) | Exists(theirs))


_named = Prepared(lambda: _to_readers().filter(message_id__in=ParamSet("ids", CharField())))

_last = Prepared(
    lambda: (
        _to_readers()
        .filter(
            thread__in=ParamSet("threads", CharField()),
            state=OutboxMessage.State.SENT,
            sent_words__isnull=False,
        )
        .order_by("-pk")[:MOST_MAILS]
    )
)
