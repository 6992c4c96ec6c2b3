"""Signed Message-IDs that name the match, turn and seat a mail is about.

See mail-requirements.md H1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.conf import settings

from gemserver.lib import signing
from gemserver.lib.text.patterns import Pattern

_LETTERS = {
    "turn": "t",
    "reminder": "m",
    "started": "s",
    "timeout": "o",
    "finished": "f",
    "holiday": "h",
    "undo": "d",
    "replaced": "r",
    "restored": "l",
    "away": "y",
    "seat-given": "g",
    "cut-off": "u",
    "sit-asked": "q",
    "sit-answered": "w",
    "sit-over": "v",
    "cancelled": "x",
    "terms-changed": "n",
    "removed": "j",
    "talk": "k",
    "hint": "i",
    "review": "e",
}
_PATTERN = Pattern(
    r"<?([a-z])\.(\d{1,12})\.(\d{1,9})\.(\d{1,3})(?:\.(\d{1,9}))?(?:\.(\d{1,12}))?"
    r"\.([a-z2-7]{10})@[^<>\s]{1,255}>?",
    re.IGNORECASE,
)
_REF = Pattern(r"Ref:[\s>|]{1,8}(\d{1,12})\.(\d{1,9})\.(\d{1,3})\.([a-z2-7]{10})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MailRef:
    """The subject of one of our mails: match (primary key), turn (the prompt's ply) and seat index.

    `sitting` is the primary key of the sitting when the mail went to a sitter, else 0.
    """

    match: int
    turn: int
    seat: int
    sitting: int = 0


def message_id(kind: str, match: int, turn: int, seat: int, number: int = 0, sitting: int = 0) -> str:
    """Return `<t.MATCH.TURN.SEAT.MAC@domain>`; the first letter stands for the kind.

    The second and later mails of one kind about one turn have their `number` after the seat. Mails to a sitter always
    have it, followed by the sitting, so that the player's mail and the sitter's never share an ID.
    """
    parts = (_LETTERS[kind], match, turn, seat, *_numbers(number, sitting))
    return f"<{'.'.join(map(str, parts))}.{signing.mac(*parts)}@{settings.MAIL_DOMAIN}>"


def read_message_id(text: str) -> MailRef | None:
    """Read a Message-ID of ours; None for any other."""
    found = _PATTERN.fullmatch(text.strip())
    if not found:
        return None
    letter, match, turn, seat, number, sitting, candidate = found.groups()
    ref = MailRef(int(match), int(turn), int(seat), int(sitting or 0))
    parts = (letter.lower(), ref.match, ref.turn, ref.seat, *_numbers(int(number or 0), ref.sitting))
    return ref if signing.is_mac(candidate, *parts) else None


def _numbers(number: int, sitting: int) -> tuple[int, ...]:
    if sitting:
        return number, sitting
    return (number,) if number else ()


def ref_line(match: int, turn: int, seat: int) -> str:
    """The last line of a mail about a turn, `Ref: MATCH.TURN.SEAT.MAC`; it survives where headers do not.

    See mail-requirements.md H2.
    """
    return f"Ref: {match}.{turn}.{seat}.{signing.mac('ref', match, turn, seat)}"


def find_ref_line(text: str) -> MailRef | None:
    """The newest of our `Ref:` lines in a quoted text; None if it has none of ours."""
    return max(find_ref_lines(text), key=lambda ref: ref.turn, default=None)


def find_ref_lines(text: str) -> list[MailRef]:
    """Our own `Ref:` lines in a quoted text."""
    refs = []
    for match, turn, seat, candidate in _REF.findall(text[:200_000]):
        ref = MailRef(int(match), int(turn), int(seat))
        if signing.is_mac(candidate, "ref", ref.match, ref.turn, ref.seat):
            refs.append(ref)
    return refs
