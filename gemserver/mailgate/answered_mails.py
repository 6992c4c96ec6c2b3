"""Which mails of ours a reply may quote, so that their words in it are not taken for its writer's (`email.md` §9.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from django.db.models import Q, QuerySet

from gemserver.accounts.models import User
from gemserver.lib.fingerprint import Fingerprint
from gemserver.mailgate.addresses import Recipient
from gemserver.mailgate.parse import ParsedMail
from gemserver.matches.mails import mail_ids
from gemserver.notify.models import OutboxMessage
from gemserver.notify.sent_words import read_sent_words

MOST_IDS = 20
MOST_MAILS = 3
"""So many are compared: the one that is answered, and those that a client quotes below it."""


def answered_words(mail: ParsedMail, recipients: Sequence[Recipient]) -> list[Fingerprint]:
    """The words of the mails that this one answers, by its headers and quoted `Ref:` lines, else of the last ones.

    `recipients`: whose the addresses are to which it went.
    Only of mails to its writer, or to whoever the address it came to belongs to: nobody learns by sending guesses
    whether they stand in a mail to somebody else.
    """
    sent = _sent_to(mail, recipients)
    ids = list(islice(_ids(mail), MOST_IDS))
    found = {message.message_id: message for message in sent.filter(message_id__in=ids)}
    answered = [found[each] for each in ids if each in found] or list(_last_in_threads(sent, recipients))
    return [words for message in answered[:MOST_MAILS] if (words := read_sent_words(message))]


def _sent_to(mail: ParsedMail, recipients: Sequence[Recipient]) -> QuerySet[OutboxMessage]:
    entitled = {recipient.user.pk for recipient in recipients if recipient.user}
    reached = Q(user__in=entitled)
    for sender in mail.from_addresses[:1]:
        owners = User.objects.filter(emailaddress__email__iexact=sender, emailaddress__verified=True)
        reached |= Q(to__iexact=sender) | Q(user__in=owners.values("pk"))
    return OutboxMessage.objects.filter(reached, sent_words__isnull=False)


def _ids(mail: ParsedMail) -> Iterable[str]:
    """Message-IDs of ours, the likeliest first; a `Ref:` line tells them where the header was lost on the way."""
    for reference in (*mail.in_reply_to, *reversed(mail.references)):
        yield f"<{reference.strip('<>')}>"
    for ref in mail_ids.find_ref_lines(mail.text):
        for kind in ("turn", "reminder"):
            yield mail_ids.message_id(kind, ref.match, ref.turn, ref.seat)


def _last_in_threads(
    sent: QuerySet[OutboxMessage], recipients: Sequence[Recipient]
) -> Iterable[OutboxMessage]:
    """The last mails of the match, or of the account, whose address was written to."""
    threads: set[str] = set()
    for recipient in recipients:
        if recipient.seat:
            threads.add(recipient.seat.match.thread)
        elif recipient.user:
            threads |= {f"user:{recipient.user.pk}", f"digest:{recipient.user.pk}"}
    in_threads = sent.filter(thread__in=threads, state=OutboxMessage.State.SENT)
    return in_threads.order_by("-pk")[:MOST_MAILS]
