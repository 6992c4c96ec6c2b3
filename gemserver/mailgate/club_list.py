"""Takes a mail to `club-NAME@…` and sends its members what its writer has newly typed, and nothing else.

Nothing in it is read as a command. Whoever is no member learns nothing, not even whether there is such a club: their
mail is dropped as one to a club that does not exist. What may be ours is kept back: a mail that repeats words of our
own mails is refused as a whole, for they may show a hand, and addresses, tokens and `Ref:` lines are taken out.
"""

from __future__ import annotations

import re
from datetime import timedelta

from games.contract import Message
from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import User
from gemserver.clubs.models import Club
from gemserver.clubs.selectors import is_member
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult, Verdict
from gemserver.inbox.senders import sender_proof
from gemserver.lib import signing
from gemserver.lib.text.fingerprint import words_of
from gemserver.lib.text.patterns import Pattern
from gemserver.lib.text.redaction import HIDDEN, redact
from gemserver.mailgate.answering import answers
from gemserver.mailgate.authority import is_written_to_us, know_sender
from gemserver.mailgate.letter import Letter
from gemserver.mailgate.match_codes import OWN_TAG
from gemserver.mailgate.receivers.recipients import header_of
from gemserver.matches.actions.clubs.post_to_list import DIGEST, KIND, LONGEST, post_to_list
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from gemserver.notify.sent_words import read_sent_words

State = InboundEmail.State

MOST_READ = 2 * LONGEST
MOST_REPEATED = 6
"""Words in a row that a writer may share with a mail of ours about a match."""
REMEMBERED = timedelta(days=60)
MOST_COMPARED = 200
"""Our last mails to the writer, within this time, with which the text is compared."""
_OF_CLUBS = (KIND, DIGEST)

_ADDRESS = Pattern(r"[^\s<>()\[\]\",;:]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}")
_TOKEN = Pattern(rf"(?i)(?<![a-z0-9])[a-z2-7]{{{signing.TOKEN_LENGTH}}}(?![a-z0-9])")
_REF = Pattern(r"(?im)^.{0,20}\bref ?:.{0,200}$")
_ANSWER = re.compile(r"^(?:\s*(?:re|aw|antw|fwd?|wg|tr)\s*:\s*)+", re.IGNORECASE)


def judge(letter: Letter, slug: str) -> Verdict:
    """Pass the mail's newly typed text on to the members, if a member has written it. Raises UnreadableMail."""
    found = _find_writer(letter, slug)
    if isinstance(found, str):
        return Verdict(State.DROPPED, found)
    user, club = found
    proof = sender_proof(letter.row)
    if proof != "pass" or not is_written_to_us(letter, letter.row.envelope_to):
        code = "sent-on" if proof == "pass" else "unproved-to-lobby"
        is_new = not answers.was_told_today(code, user, letter.row)
        return Verdict(State.REFUSED, code, user=user, answer=is_new)
    letter.read(MOST_READ)
    if letter.reaction is not None or letter.mail.looks_automatic:
        return Verdict(State.DROPPED, "automatic:subject", user=user)
    try:
        text = clean(_require_own_words(letter, user, club))
        key = f"mail:{letter.row.pk}"
        post_to_list(club.pk, user, _subject(letter), text, key=key, now=letter.row.received_at)
    except Refused as refusal:
        results = (LineResult("", "refused", refusal.code, refusal.message),)
        told = answers.allowance(user, None, results)
        return Verdict(
            State.REFUSED,
            refusal.code,
            user,
            results=results,
            answer=told.answers,
            quiet_until=told.quiet_until,
        )
    sent = LineResult(
        "", "done", "list", Message("Your mail goes to the members of {name}.", {"name": club.name})
    )
    return Verdict(State.DONE, "", user, results=(sent,), answer=True)


def _find_writer(letter: Letter, slug: str) -> tuple[User, Club] | str:
    """The member who has written it, and the club; else the reason for silence."""
    mail = letter.mail
    fields = header_of(bytes(letter.row.raw or b""))
    if mail.from_list or fields.has("list-unsubscribe"):
        return "mailing-list"
    if len(mail.from_addresses) != 1:
        return "several-senders"
    if know_sender(mail.from_addresses[0], None).is_banned:
        return "banned"
    user = owner_of(mail.from_addresses[0])
    club = Club.objects.filter(slug=slug, closed_at=None).first()
    if user is None or not user.is_active or club is None or not is_member(club, user):
        return "no-such-club"
    return user, club


def _require_own_words(letter: Letter, user: User, club: Club) -> str:
    """The text that the writer typed. Raises Refused(repeats-ours)."""
    words = words_of(letter.typed)
    since = letter.row.received_at - REMEMBERED
    ours = OutboxMessage.objects.filter(user=user, sent_at__gt=since, sent_words__isnull=False)
    recent = ours.exclude(kind__in=_OF_CLUBS).only("message_id", "sent_words").order_by("-pk")[:MOST_COMPARED]
    for message in recent:
        for print_ in read_sent_words(message):
            if any(end - start > MOST_REPEATED for start, end in print_.stretches(words)):
                raise Refused(
                    "repeats-ours",
                    "Nothing went to {name}: your mail repeats a mail of ours, which may show your hand. Write your "
                    "words in a new mail.",
                    name=club.name,
                )
    return letter.typed


def clean(text: str) -> str:
    """The text without addresses, tokens and `Ref:` lines."""
    text = _REF.sub("", redact(text))
    text = _TOKEN.sub(HIDDEN, text)
    return _ADDRESS.sub(HIDDEN, text).strip()


def _subject(letter: Letter) -> str:
    """The mail's subject; empty if it may be that of a mail of ours about a match."""
    subject = _ANSWER.sub("", " ".join(letter.mail.subject.split()))[:300]
    if subject.startswith("["):  # the name of the club, as our mails have it; or a mail about a match
        subject = subject.partition("]")[2].strip() if _is_of_club(letter) else ""
    about_match = OWN_TAG.search(letter.mail.subject[:300]) or any(
        each.kind not in _OF_CLUBS for each in letter.answered
    )
    return "" if about_match else clean(subject)[:200]


def _is_of_club(letter: Letter) -> bool:
    return any(each.kind in _OF_CLUBS for each in letter.answered)
