"""Attribution lines: `On Tue, 3 Mar 2026 at 21:14, Ana <a@example.org> wrote:` in whatever language a client writes.

Structure decides before words do: a moment (date, year, time of day), an address, a verb of writing, and the colon
that ends the line. Two of the first three and the colon make an attribution; known words only break ties.
"""

from __future__ import annotations

import re

from gemserver.mailgate.text_lines import bare

MAX_LENGTH = 400
"""Characters an attribution may have, its physical lines joined."""

MAX_PHYSICAL = 6
"""Physical lines that clients wrap one attribution into, an empty one among them included."""

_VERBS = (
    "wrote writes écrit schrieb schreibt geschrieben napsal napsala píše escribió escribe scritto scrive schreef schrijft "
    "geschreven napisał napisała pisze escreveu escreve написал написала пишет писал писала написав написала пише пишет "
    "skrev skriver kirjoitti napísal napísala írta yazdı έγραψε γράφει viết 写道 寫道 写 작성 쓴 scris написа пише напиша "
    "kirjutas rašė parašė rakstīja uzrakstīja skrifaði menulis ditulis เขียน เขียนว่า כתב כתבה כתבו كتب كتبت نوشت लिखा "
    "書きました のメール napisao napisala написао escriure idatzi shkroi escrigué escriu sent"
).split()
_VERB = re.compile(
    r"(?<!\w)(?:"
    + "|".join(sorted(set(_VERBS), key=len, reverse=True))
    + r")(?!\w)|[写寫書][道き]|작성|のメール"
)
_VERB_END = re.compile(
    r"(?<!\w)(?:"
    + "|".join(sorted(set(_VERBS), key=len, reverse=True))
    + r")(?:\(\w{1,3}\))?[ ]?[-:：]|[写寫]道 ?[:：]"
)
_TIME = re.compile(r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)|(?<!\d)\d{1,2} ?[ap]\.?m\b")
_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d(?!\d)|\d{1,2}[-./]\s?\d{1,2}[-./]\s?\d{2,4}|\d{1,2}[-/. ][^\W\d_]{3,9}[-/. ])|\d年"
)
_ADDRESS = re.compile(r"[^\s<>@:]{1,64}@[^\s<>@]{1,190}")
_OPENER = re.compile(
    r"(?:on|le|am|el|il|op|em|no dia|w dniu|dnia|dne|dňa|den|d\.|på|kl\.|vào|pada|la|a|в|у|на|στις|tarihinde|at|in data|in)"
    r"[ ](?=\W{0,2}\w)"
)
_GLUED = re.compile(
    r"(?<=[\s.!?…)-])(?:On|Le|Am|El|Il|Op|Em|W dniu|Dnia|Dne|Dňa|Den|På|Vào)[ ](?=[^:]{0,24}\d)",
)
_STAMPED = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2} (?:\d{1,2}:\d{2}(?::\d{2})? (?:gmt|utc)[^ ]{0,7} \S|[^<]{0,60}<[^<>@ ]{1,64}@[^<> ]{1,190}>$)"
)
_NAMED = re.compile(r"-{3,} ?\S.{0,120}\S ?-{3,}$|-{3,} ?on ")
_ENDS = (":", "：")


def attribution_length(lines: list[str], at: int, *, quoted_below: bool) -> int:
    """How many physical lines from `at` on are one attribution; 0 when none begins there.

    `quoted_below` says that the next line with text behind the candidate is quoted: then less evidence is enough.
    """
    first = _fold(lines[at])
    if not _may_start(first):
        return 0
    joined, blanks = "", 0
    for count in range(1, MAX_PHYSICAL + 1):
        if at + count > len(lines):
            break
        part = _fold(lines[at + count - 1])
        if not part:
            blanks += 1
            if blanks > 1 or _ADDRESS.search(joined):
                break
            continue
        joined = f"{joined} {part}".strip()
        if len(joined) > MAX_LENGTH:
            break
        if count > 1 and _starts_anew(lines, at + count - 1, quoted_below):
            break
        if _is_whole(joined, quoted_below and count == 1):
            return count
    return 0


def glued_attribution(line: str, following: list[str]) -> int:
    """Where an attribution begins that a client glued to the end of typed text; -1 when none does.

    `following` are the next lines, for an attribution that is wrapped as well.
    """
    if len(line) > 2 * MAX_LENGTH or not (any(map(str.isdigit, line))):
        return -1
    for found in _GLUED.finditer(line):
        if attribution_length([line[found.start() :], *following[: MAX_PHYSICAL - 1]], 0, quoted_below=False):
            return found.start()
    return -1


def _fold(line: str) -> str:
    return bare(line[: MAX_LENGTH + 1]).strip("*_ ").casefold()


def _may_start(first: str) -> bool:
    """Cheap test that keeps the joins below to lines with a moment, an address, a verb or an opening word."""
    if not first or len(first) > MAX_LENGTH or first.startswith(("say ", "note ")):
        return False
    return bool(
        "@" in first
        or _has_moment(first)
        or first.endswith(_ENDS)
        or "<" in first
        or _OPENER.match(first)
        or _NAMED.match(first)
        or _VERB.search(first)
    )


def _starts_anew(lines: list[str], at: int, quoted_below: bool) -> bool:
    """Is the line itself the beginning of a complete attribution, so that what stands above it was typed?"""
    line = _fold(lines[at])
    if not (_OPENER.match(line) or line[:1].isdigit()) or not _has_moment(line):
        return False
    joined = line
    for follower in lines[at + 1 : at + 4]:
        if _is_whole(joined, quoted_below):
            return True
        joined = f"{joined} {_fold(follower)}".strip()
    return _is_whole(joined, quoted_below)


def _has_moment(text: str) -> bool:
    return bool(_TIME.search(text) or _DATE.search(text))


def _is_whole(text: str, quoted_below: bool) -> bool:
    if len(text) > MAX_LENGTH:
        return False
    moment, address = _has_moment(text), "@" in text and bool(_ADDRESS.search(text))
    verb = bool(_VERB.search(text))
    if text.endswith(_ENDS):
        if (moment and (verb or address)) or (verb and address):
            return True
        return quoted_below and (verb or address)
    if moment and (_STAMPED.match(text) or (_NAMED.match(text) and (verb or address))):
        return True
    if verb and _NAMED.match(text):
        return True
    if verb and moment and address and _ends_with_verb(text):
        return True
    if _ends_inside(text):
        return True
    return quoted_below and moment and (verb or address)


def _ends_with_verb(text: str) -> bool:
    found = None
    for found in _VERB.finditer(text):
        pass
    return found is not None and len(text) - found.end() <= 4


def _ends_inside(text: str) -> bool:
    """Does an attribution end in the middle of the text, the quote glued behind its colon?"""
    found = _VERB_END.search(text)
    if found is None:
        return False
    before = text[: found.end()]
    opened = _OPENER.match(before) is not None or before[:1].isdigit() or " on " in before
    return opened and _has_moment(before) and bool(_ADDRESS.search(before))
