"""Subjects of the mails about a match: the news in brackets, then words that stay the same for the whole match.

`[Your turn: bid or pass (day 2 of 6, auction 1)] GEM M17`. Gmail and RFC 5256 leave a bracket at the beginning out when
they compare subjects, and everybody else goes by References: docs/decisions/threads.md.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from django.conf import settings
from django.utils.translation import gettext

from gemserver.lib.text.translator import translator
from gemserver.matches.models import Match

LONGEST = 78
"""Columns of a subject; what stands where in the match is left out of a longer one."""
_UNIX_EPOCH_IN_FILETIME = 116_444_736_000_000_000


def base_subject(match: Match) -> str:
    """The part of the subject that all mails of a match share, `GEM M17`. No name stands in it: players change."""
    return f"{match.title} {match.code}"


def subject(match: Match, news: str = "") -> str:
    """The subject of a mail about the match that tells these news; no bracket may stand in them."""
    base = base_subject(match)
    plain = " ".join(news.replace("[", "(").replace("]", ")").split())
    return f"[{plain}] {base}" if plain else base


def say_task(match: Match, moves: Sequence[str], drawing: str, names: Sequence[str]) -> str:
    """Name what the reader is asked for, and where the match stands: `bid or pass (day 2 of 6, auction 1)`.

    `moves`: examples of legal moves, in notation; `drawing`: the board as text, whose first line says where it stands.
    """
    task = _join_verbs([match.words.name_verb(verb, translator()) for verb in _find_verbs(moves)])
    stage = _find_stage(match.title, drawing, names)
    both = f"{task} ({stage})" if task and stage else task or stage
    room = LONGEST - len(subject(match, gettext("Your turn: %(task)s") % {"task": ""}))
    return both if len(both) <= room else task


def _find_verbs(moves: Sequence[str]) -> Sequence[str]:
    """The first words of the moves; to pass comes last. `up to 5`, an order at sealed pace, is short for bids."""
    verbs = dict.fromkeys(move.split()[0] for move in moves if not move.startswith("up to "))
    return sorted(verbs, key=lambda verb: verb == "pass")


def _join_verbs(names: Iterable[str]) -> str:
    """The first two names that differ."""
    first = list(dict.fromkeys(names))[:2]
    if len(first) < 2:
        return "".join(first)
    return gettext("%(one)s or %(other)s") % {"one": first[0], "other": first[1]}


def _find_stage(title: str, drawing: str, names: Sequence[str]) -> str:
    """Where the match stands, by the first sentence of a drawing; empty where it names only the game, or a player."""
    first = drawing.strip().partition("\n")[0].partition(". ")[0].rstrip(".")
    lead = f"{title}, "
    if not first.startswith(lead) or any(name in first for name in names):
        return ""
    return first.removeprefix(lead)


def outlook_headers(match: Match) -> Mapping[str, str]:
    """Thread-Topic and Thread-Index, by which Outlook knows a conversation ([MS-OXCMAIL] 2.2.3.2.7 and 2.2.3.2.8).

    The index is a 1, five bytes of a time and a GUID: the same for all mails of the match.
    """
    since = _UNIX_EPOCH_IN_FILETIME + int(match.created_at.timestamp()) * 10_000_000
    guid = sha256(f"{settings.MAIL_DOMAIN}:{match.thread}".encode()).digest()[:16]
    index = b"\x01" + since.to_bytes(8, "big")[1:6] + guid
    return {"Thread-Topic": base_subject(match), "Thread-Index": b64encode(index).decode()}
