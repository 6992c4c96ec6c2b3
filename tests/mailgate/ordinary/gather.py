"""Collects the sentences of mails, and of texts and lists of sentences, from folders."""

from __future__ import annotations

import email
import email.policy
import gzip
import html
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

SHORTEST, LONGEST = 12, 220
"""Characters of a sentence that is kept."""
LEAST_WORDS = 3
"""A single word or number may well be the answer to a question of ours."""

_MBOX = re.compile(r"^From .+$", re.MULTILINE)
_HEADER = re.compile(r"^[A-Za-z-]{2,40}: .*\n", re.MULTILINE)
_ADDRESS = re.compile(r"\S+@\S+|\S+ at \S+\.\S+|https?:|www\.|\d{5,}|[\d -]{9,}")
_ATTRIBUTION = re.compile(r"(?:wrote|writes|said|schrieb|écrit).{0,40}:\s*$")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"')]*\s+(?=[\"'(]?[A-ZÄÖÜÀÂÉÈÊÎÔÇŒ])")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MARKS = re.compile(r"[{}<>|\\=_~^`\[\]]|--|\*\*|::|\$\w|#\d|\w\(\)")


def gather(folder: Path, files: str = "*") -> Iterator[tuple[str, str]]:
    """Yield each sentence in the folder's files with its language, as often as it stands there.

    A file `deu.txt` or `fra.txt` is a list of sentences in English and that language, divided by tabs; one that has
    `.de.` or `.fr.` in its name is a text; every other one holds mails.
    """
    for path in sorted(path for path in folder.rglob(files) if path.is_file()):
        if path.suffix not in {".txt", ".gz", ".eml", ".mbox", ".html", ".md", ""}:
            continue
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        pair = {"deu.txt": "de", "fra.txt": "fr"}.get(path.name)
        language = next((code for code in ("de", "fr") if f".{code}." in path.name), "")
        if pair:
            for line in raw.decode(errors="replace").splitlines():
                english, foreign, *_ = [*line.split("\t"), "", ""]
                yield "en", english
                yield pair, foreign
        elif language:
            for sentence in _sentences(_without_tags(raw.decode(errors="replace"))):
                yield language, sentence
        else:
            for typed in _typed_texts(raw):
                for sentence in _sentences(typed):
                    yield "en", sentence


def is_kept(sentence: str) -> bool:
    """Return whether this is a sentence of words that names nobody's address."""
    return (
        SHORTEST <= len(sentence) <= LONGEST
        and len(_WORD.findall(sentence)) >= LEAST_WORDS
        and not _ADDRESS.search(sentence)
        and not _MARKS.search(sentence)
        and "\ufffd" not in sentence
    )


def shuffled(sentences: set[str]) -> list[str]:
    """The sentences in an order that is always the same and has nothing to do with that of the mails."""
    return sorted(sentences, key=lambda sentence: sha256(sentence.encode()).digest())


def _without_tags(text: str) -> str:
    return html.unescape(re.sub(r"<[^<>]{1,2000}>", "", text))


def _typed_texts(raw: bytes) -> Iterator[str]:
    """Yield the typed text of each mail in this file, without header, quotes and signature."""
    text = raw.decode("utf-8", errors="replace")
    for mail in _MBOX.split(text):
        mail = mail.lstrip("\n")
        if _HEADER.match(mail):
            parsed = email.message_from_string(mail, policy=email.policy.default)
            try:
                part = parsed.get_body(("plain",))
                body = part.get_content() if part else ""
            except (LookupError, ValueError, TypeError, KeyError, AttributeError):
                continue
            yield _own_lines(body)


def _own_lines(body: str) -> str:
    lines = []
    for line in body.splitlines():
        if re.match(r"-- ?$|_{10,}|-{10,}|-+ ?(?:Original|next)", line):
            break
        if not re.match(r"\s*[>|:%#}]|\w{1,4}> ?", line) and not _ATTRIBUTION.search(line):
            lines.append(line)
        else:
            lines.append("")
    return "\n".join(lines)


def _sentences(text: str) -> Iterator[str]:
    """The sentences of the paragraphs, and their lines as they were broken."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [" ".join(line.split()) for line in paragraph.splitlines()]
        for sentence in _SENTENCE.split(" ".join(lines)):
            if is_kept(sentence.strip()):
                yield sentence.strip()
        for line in lines:
            if len(lines) > 1 and is_kept(line):
                yield line
