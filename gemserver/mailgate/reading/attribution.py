"""Attribution lines: `On Tue, 3 Mar 2026 at 21:14, Ana <a@example.org> wrote:`, in any language.

Structure decides before words do: a moment (date, year, time of day), an address, a verb of writing, and the colon that
ends the line. Two of the first three and the colon make an attribution; the text below breaks ties.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from gemserver.lib.text.patterns import CALL, Pattern, spend
from gemserver.mailgate.reading.quote_words import OPENER, WROTE, WROTE_CJK
from gemserver.mailgate.reading.text_lines import bare, folded, is_quoted
from gemserver.mailgate.reading.word_table import any_of, phrases

MAX_LENGTH = 400
"""Characters of an attribution, including its wrapped lines."""

MAX_PHYSICAL = 6
"""Physical lines that clients wrap one attribution into, counting an empty one among them."""

SHORT_REST = 14
"""Characters of a wrapped last word (`je:`) that still belongs to an attribution that seems complete."""

MOST_GLUED = 4
"""Words of a typed line that may open an attribution and are followed: `On 6 March I asked, On Tue, 3 Mar … wrote:`."""

_WORD = Pattern(r"\w+")
_VERBS = frozenset(verb for verb in phrases(WROTE) if " " not in verb)
_VERB_PHRASES = (*phrases(WROTE_CJK), *(verb for verb in phrases(WROTE) if " " in verb))
_VERB = Pattern(rf"(?<!\w){any_of(WROTE)}(?!\w)|{any_of(WROTE_CJK)}")
_VERB_AND_COLON = Pattern(rf"(?:(?<!\w){any_of(WROTE)}(?:\(\w{{1,3}}\))?|{any_of(WROTE_CJK)}) ?[:：]")
_OPENER = Pattern(rf"{any_of(OPENER)} (?=\W{{0,2}}\w)")
_NAME = Pattern(r"[\"“'(]?[^\W\d_][\w.'’-]*(?: [\w.'’(-]+){0,6}[\"”')]?$")
_DIGIT = Pattern(r"\d")
_NUMBER_OR_ADDRESS = Pattern(r"[\d@]")
_TIME = Pattern(r"(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)|(?<!\d)\d{1,2} ?[ap]\.?m\b")
_DATE = Pattern(
    r"(?<!\d)(?:(?:19|20)\d\d(?!\d)|\d{1,2}[-./]\s?\d{1,2}[-./]\s?\d{2,4}|\d{1,2}[-/. ]{1,2}[^\W\d_]{3,9}[-/. ])"
    r"|\d ?[年년]"
)
_ADDRESS = Pattern(r"[^\s<>@:]{1,64}@[^\s<>@]{1,190}")
_ANGLED = Pattern(r"<[^\s<>@:]{1,64}@[^\s<>@]{1,190}>")
_ANGLED_LAST = Pattern(r"\S ?\(?<[^\s<>@:]{1,64}@[^\s<>@]{1,190}>\)? ?[:：]$")
_STAMP = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2} "
_STAMPED = Pattern(
    rf"{_STAMP}\d{{1,2}}:\d\d(?::\d\d)? (?:gmt|utc)[^ ]{{0,7}} \S|{_STAMP}[^<]{{0,60}}<[^<> ]{{3,250}}>$"
)
_DASHED = Pattern(r"-{3,} ?[^\s-](?:.{0,200}[^\s-])? ?-{3,}$|-{3,} ?on ")
_GLUED_OPENER = Pattern(
    r"(?<=[\s.!?…)-])(?:"
    + "|".join(re.escape(opener.capitalize()) for opener in phrases(OPENER) if len(opener) > 1)
    + r") (?=[^:]{0,24}\d)"
)
_PROPER_START = Pattern(r"\W{0,3}(?:\d|[^\W\d_]{2,12}[.,]{1,2} ?\d)")
_COLONS = (":", "：")


def attribution_length(lines: Sequence[str], at: int, is_original_at: Callable[[int], bool]) -> int:
    """Number of physical lines from `at` on that are one attribution; 0 if none begins there.

    `is_original_at` says whether a quoted line, or the head of an original, is the next text from that line on: less
    evidence is enough then.
    """
    spend(16 * CALL)
    first = _fold(lines[at])
    named = _is_name_above_address(lines, at)
    if not (named or _may_start(first)) or not _is_possible(first, lines[at + 1 : at + MAX_PHYSICAL]):
        return 0
    whole = int(_is_whole(first, is_original_at(at + 1)))
    if whole and first.endswith(_COLONS):
        return 1
    if not whole and ": " in first and _VERB_AND_COLON.search(first):
        return 0
    joined, begins = first, named or _begins(first)
    for position in _continuation(lines, at, first):
        part = _fold(lines[position])
        if (whole and len(part) > SHORT_REST) or _starts_anew(lines, position, joined, begins):
            break
        joined = f"{joined} {part}"
        if len(joined) > MAX_LENGTH:
            break
        if joined.endswith(_COLONS) and _is_whole(joined, is_original_at(position + 1)):
            return position + 1 - at
        if not whole and _is_whole(joined, quoted_below=False):
            whole = position + 1 - at
    return whole


def glued_attribution(line: str, following: Sequence[str]) -> int:
    """Index at which an attribution begins that a client glued to the end of typed text; -1 if there is none.

    `following` are the next lines, for an attribution that is wrapped as well.
    """
    if len(line) > 2 * MAX_LENGTH or not any(map(str.isdigit, line)):
        return -1
    folded = _fold(line)
    if _OPENER.match(folded) or _PROPER_START.match(folded):
        return -1
    for found in islice(_GLUED_OPENER.finditer(line), MOST_GLUED):
        if attribution_length([line[found.start() :], *following], 0, lambda _: False):
            return found.start()
    return -1


def _fold(line: str) -> str:
    return folded(line[: MAX_LENGTH + 1]).strip("*_ ")


def _may_start(first: str) -> bool:
    """Cheap test that limits the joining of lines to those with a moment, an address, a verb or an opening word."""
    if not first or len(first) > MAX_LENGTH:
        return False
    return bool(
        "@" in first
        or "<" in first
        or first.endswith(_COLONS)
        or _has_moment(first)
        or _OPENER.match(first)
        or _DASHED.match(first)
        or _has_verb(first)
    )


def _is_possible(first: str, following: Sequence[str]) -> bool:
    """True if the lines have a number or address, without which only a colon or dashes make an attribution."""
    if first.endswith(_COLONS) or first.startswith("---"):
        return True
    return any(_NUMBER_OR_ADDRESS.search(line[:MAX_LENGTH]) for line in (first, *following))


def _is_name_above_address(lines: Sequence[str], at: int) -> bool:
    """True if the line is a lone name whose address a client wrapped to the next line."""
    if at + 1 >= len(lines) or not lines[at + 1].startswith("<") or (at and bare(lines[at - 1])):
        return False
    return _NAME.match(bare(lines[at])) is not None


def _begins(first: str) -> bool:
    """True if the line so surely begins an attribution that the next ones may complete it."""
    if _ANGLED.search(first) or first.endswith("<"):
        return True
    if _OPENER.match(first) and _has_moment(first):
        return True
    return _TIME.search(first) is not None and _DATE.search(first) is not None


def _continuation(lines: Sequence[str], at: int, first: str) -> Iterator[int]:
    """The lines that may continue an attribution from `at` on.

    One of them may be empty, if a moment or an open bracket is above it.
    """
    joined, blank_seen = first, False
    for position in range(at + 1, min(at + MAX_PHYSICAL, len(lines))):
        is_open = joined.count("<") > joined.count(">")
        if not bare(lines[position]):
            if (
                blank_seen
                or not (is_open or (_begins(first) and _has_moment(joined)))
                or joined[-1] in ".!?…"
            ):
                return
            blank_seen = True
        elif is_quoted(lines[position]) and not is_open:
            return
        else:
            joined = f"{joined} {_fold(lines[position])}"
            yield position


def _starts_anew(lines: Sequence[str], at: int, above: str, begins: bool) -> bool:
    """True if the line itself begins a complete attribution, so that the text above it was typed.

    If an attribution surely `begins` above, its wrapped rest may look complete by itself; after an address that rest
    may begin with the moment.
    """
    if above.count("<") > above.count(">"):
        return False
    joined = _fold(lines[at])
    if begins:
        opened = _OPENER.match(joined) or (not _ANGLED.search(above) and _PROPER_START.match(joined))
        if not opened or not _has_moment(joined):
            return False
    for follower in lines[at + 1 : at + 4]:
        if _is_whole(joined, quoted_below=False):
            return True
        joined = f"{joined} {_fold(follower)}"
    return _is_whole(joined, quoted_below=False)


def _has_moment(text: str) -> bool:
    return _DIGIT.search(text) is not None and bool(_TIME.search(text) or _DATE.search(text))


def _has_verb(text: str) -> bool:
    spend(8 * CALL)  # for the phrases
    return not _VERBS.isdisjoint(_WORD.findall(text)) or any(verb in text for verb in _VERB_PHRASES)


def _is_whole(text: str, quoted_below: bool) -> bool:
    if len(text) > MAX_LENGTH:
        return False
    moment, verb = _has_moment(text), _has_verb(text)
    address = "@" in text and _ADDRESS.search(text) is not None
    if text.endswith(_COLONS):
        if address and _ANGLED_LAST.search(text):
            return True
        return (moment and (verb or address)) or (verb and address) or (quoted_below and (verb or address))
    if moment and _STAMPED.match(text):
        return True
    if (verb or (moment and address)) and _DASHED.match(text):
        return True
    if verb and moment and address and (_ends_with_verb(text) or _ends_inside(text)):
        return True
    opened = _OPENER.match(text) or _PROPER_START.match(text) or address
    return quoted_below and moment and bool(opened) and (verb or address)


def _ends_with_verb(text: str) -> bool:
    return any(found.end() >= len(text) - 4 for found in _VERB.finditer(text, max(0, len(text) - 40)))


def _ends_inside(text: str) -> bool:
    """True if an attribution ends in the middle of the text, with the quote glued behind its colon."""
    if not (_OPENER.match(text) or _PROPER_START.match(text)):
        return False
    found = _VERB_AND_COLON.search(text)
    if found is None:
        return False
    before = text[: found.end()]
    return _has_moment(before) and _ADDRESS.search(before) is not None
