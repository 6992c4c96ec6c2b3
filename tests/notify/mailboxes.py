"""Conversations as mail programs build them, by the rules that each has published or was seen to follow.

docs/decisions/threads.md names the sources.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Conversations: TypeAlias = set[frozenset[str]]
"""The Message-IDs of each conversation."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The fields of a mail by which programs find its conversation; mails are given oldest first."""

    id: str
    subject: str
    references: tuple[str, ...] = ()
    thread_index: str = ""


_BLOB = r"\[[^\[\]]*\]\s*"
_LEADER = re.compile(rf"(?:{_BLOB})*(?:re|fwd?)\s*(?:{_BLOB})?:\s*", re.IGNORECASE)
_TRAILER = re.compile(r"(?:\(fwd\)|\s)+$", re.IGNORECASE)
_FORWARDED = re.compile(r"\[fwd:(.*)\]", re.IGNORECASE)


def base_subject(subject: str) -> str:
    """The base subject of RFC 5256, section 2.1, in lower case."""
    text = " ".join(subject.split())
    while True:
        text = _TRAILER.sub("", text)
        while True:
            before = text
            text = _LEADER.sub("", text, count=1) if _LEADER.match(text) else text
            blob = re.match(_BLOB, text)
            if blob and text[blob.end() :]:
                text = text[blob.end() :]
            if text == before:
                break
        forwarded = _FORWARDED.fullmatch(text)
        if not forwarded:
            return text.lower()
        text = forwarded[1].strip()


def thread_references(mails: Sequence[Seen]) -> Conversations:
    """THREAD=REFERENCES of RFC 5256: by References, then all roots of one base subject together (its step 5)."""
    parents: dict[str, str] = {}
    seen = {mail.id: mail for mail in mails}
    for mail in mails:
        for parent, child in zip(mail.references, mail.references[1:], strict=False):
            if child not in parents and not _descends(parent, child, parents):
                parents[child] = parent
        parents.pop(mail.id, None)
        if mail.references and not _descends(mail.references[-1], mail.id, parents):
            parents[mail.id] = mail.references[-1]
    threads: dict[str, list[str]] = {}
    for mail in mails:
        threads.setdefault(_root(mail.id, parents), []).append(mail.id)
    by_subject: dict[str, set[str]] = {}
    for root, ids in threads.items():
        subject = base_subject(seen[root if root in seen else ids[0]].subject)
        by_subject.setdefault(subject or root, set()).update(ids)
    return set(map(frozenset, by_subject.values()))


def _root(mail: str, parents: dict[str, str]) -> str:
    while mail in parents:
        mail = parents[mail]
    return mail


def _descends(mail: str, ancestor: str, parents: dict[str, str]) -> bool:
    while mail != ancestor and mail in parents:
        mail = parents[mail]
    return mail == ancestor


def group_as_gmail(mails: Sequence[Seen]) -> Conversations:
    """Gmail since 2019: one subject, without answer prefixes and brackets in front, and References to a mail in it."""
    return _group(mails, _meets_in_gmail)


def _meets_in_gmail(mail: Seen, earlier: Iterable[Seen]) -> bool:
    ids = {each for other in earlier for each in (other.id, *other.references)}
    same = {_gmail_subject(other.subject) for other in earlier} == {_gmail_subject(mail.subject)}
    return same and (not mail.references or not ids.isdisjoint(mail.references))


_IN_FRONT = re.compile(rf"(?:{_BLOB}|(?:re|fwd?|aw|wg|tr|sv|odp)\s*:\s*)*", re.IGNORECASE)


def _gmail_subject(subject: str) -> str:
    return _IN_FRONT.sub("", " ".join(subject.split()), count=1).lower()


def group_as_apple_mail(mails: Sequence[Seen]) -> Conversations:
    """Apple Mail, Thunderbird and KMail: by References and In-Reply-To alone."""
    return _group(
        mails,
        lambda mail, earlier: (
            not {each for other in earlier for each in (other.id, *other.references)}.isdisjoint(
                (mail.id, *mail.references)
            )
        ),
    )


def group_as_outlook(mails: Sequence[Seen]) -> Conversations:
    """Outlook: by the GUID in Thread-Index, which an answer repeats; without one by the subject."""
    return _group(mails, lambda mail, earlier: _outlook_key(mail) in set(map(_outlook_key, earlier)))


def _outlook_key(mail: Seen) -> bytes | str:
    if mail.thread_index:
        return b64decode(mail.thread_index)[6:22]
    return re.sub(r"^\S{1,3}:\s", "", mail.subject).upper()


def _group(mails: Sequence[Seen], meets: Callable[[Seen, Sequence[Seen]], bool]) -> Conversations:
    found: list[list[Seen]] = []
    for mail in mails:
        together = [group for group in found if meets(mail, group)]
        found = [group for group in found if group not in together]
        found.append([*(each for group in together for each in group), mail])
    return {frozenset(each.id for each in group) for group in found}


PROGRAMS = {
    "RFC 5256": thread_references,
    "Gmail": group_as_gmail,
    "Apple Mail": group_as_apple_mail,
    "Outlook": group_as_outlook,
}
