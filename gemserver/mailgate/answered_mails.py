"""Finds the mails of ours that a mail answers, whose words are not taken for its writer's.

See mail-requirements.md Q2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from allauth.account.models import EmailAddress
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet

from gemserver.accounts.models import User
from gemserver.lib.fingerprint import Fingerprint
from gemserver.lib.prepared import Param, ParamSet, Prepared
from gemserver.mailgate.addresses import Recipient
from gemserver.mailgate.parse import ParsedMail
from gemserver.matches.mails import mail_ids
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage
from gemserver.notify.sent_words import read_sent_words

MOST_IDS = 20
MOST_MAILS = 3
"""Mails that are compared: the answered one, and those that a client quotes below it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The mails of ours that one mail answers, the likeliest first: by its headers, then by quoted `Ref:` lines."""

    mail: ParsedMail
    messages: Sequence[OutboxMessage] = ()

    def shown_at(self, user: User) -> datetime | None:
        """The instant at which the mail of ours that the headers name was sent to its writer; None if unknown."""
        named = set(_references(self.mail))
        theirs = (each for each in self.messages if each.message_id in named and each.user_id == user.pk)
        return next((each.sent_at for each in theirs if each.sent_at), None)

    def turn(self, seat: Seat) -> int | None:
        """The prompt of this seat that is answered; None if unknown (mail-requirements.md T1).

        Turn 0 (the start mail) asked for nothing, so it counts as unknown.
        """
        refs = [mail_ids.read_message_id(reference) for reference in _references(self.mail)]
        for ref in [*refs, mail_ids.find_ref_line(self.mail.text)]:
            if ref and ref.match == seat.match_id and ref.seat == seat.index:
                return ref.turn or None
        return None

    def prompts(self, user: User) -> Mapping[int, int]:
        """Match (primary key) → prompt, by the user's digest that is answered, else by the `Ref:` lines it quotes.

        See mail-requirements.md T1.
        """
        digests = [each for each in self.messages if each.kind == "digest" and each.user_id == user.pk]
        if digests:
            newest = max(digests, key=lambda digest: digest.pk)
            return {prompt["match"]: prompt["turn"] for prompt in newest.data["prompts"]}
        return {ref.match: ref.turn for ref in mail_ids.find_ref_lines(self.mail.text) if ref.turn}

    def quoted_words(self, recipients: Sequence[Recipient]) -> list[Fingerprint]:
        """The words of these mails, or else of the last ones that could be quoted."""
        messages = [message for message in self.messages if message.sent_words is not None]
        messages = messages or _last_in_threads(self.mail, recipients)
        return [words for message in messages[:MOST_MAILS] for words in read_sent_words(message)]


def find_answered(mail: ParsedMail, recipients: Sequence[Recipient]) -> Answered:
    """Find the mails of ours that this one answers.

    `recipients`: the owners of the addresses that it went to. Only mails to its writer, or to the owner of the address
    it came to, are found: nobody learns by sending guesses whether they stand in a mail to somebody else.
    """
    ids = list(dict.fromkeys(islice(_ids(mail), MOST_IDS)))
    if not ids:
        return Answered(mail)
    found = {message.message_id: message for message in _named(ids=ids, **_readers(mail, recipients))}
    return Answered(mail, [found[each] for each in ids if each in found])


def _ids(mail: ParsedMail) -> Iterable[str]:
    """Message-IDs of ours, the likeliest first; a `Ref:` line gives them if the header was lost on the way."""
    yield from _references(mail)
    for ref in mail_ids.find_ref_lines(mail.text):
        for kind in ("turn", "reminder"):
            yield mail_ids.message_id(kind, ref.match, ref.turn, ref.seat)


def _references(mail: ParsedMail) -> Iterable[str]:
    return (f"<{reference.strip('<>')}>" for reference in (*mail.in_reply_to, *reversed(mail.references)))


def _last_in_threads(mail: ParsedMail, recipients: Sequence[Recipient]) -> list[OutboxMessage]:
    """The last mails about the match or the account whose address was written to."""
    threads: set[str] = set()
    for recipient in recipients:
        if recipient.seat:
            threads.add(recipient.seat.match.thread)
        elif recipient.user:
            threads |= {f"user:{recipient.user.pk}", f"digest:{recipient.user.pk}"}
    return _last(threads=threads, **_readers(mail, recipients)) if threads else []


def _readers(mail: ParsedMail, recipients: Sequence[Recipient]) -> Mapping[str, object]:
    """The people who may have read the answered mail, as parameters of `_to_readers`."""
    return {
        "users": {recipient.user.pk for recipient in recipients if recipient.user},
        "sender": next(iter(mail.from_addresses), ""),
    }


def _to_readers() -> QuerySet[OutboxMessage]:
    """The mails to these users, to the sender's address, or to whoever has proved that it is theirs."""
    sender = Param("sender", CharField())
    theirs = EmailAddress.objects.filter(email=sender, user=OuterRef("user"), verified=True)
    sent = OutboxMessage.objects.only("message_id", "user", "kind", "data", "sent_at", "sent_words")
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
