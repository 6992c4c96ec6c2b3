"""Rules for player names: none may pass for somebody else, or for somebody in charge."""

from __future__ import annotations

import functools
import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from gemserver.accounts.lookalikes import look_of

RESERVED = frozenset(
    {"abuse", "admin", "administrator", "bot", "games", "help", "info", "mail", "me", "moderator", "play"}
    | {
        "player",
        "postmaster",
        "root",
        "security",
        "server",
        "staff",
        "support",
        "system",
        "team",
        "webmaster",
    }
    | {"gemserver"}
)
"""Words of which no name consists: it would pass for somebody in charge, or for a word of ours."""
_UNSEEN_OR_ALIKE = (
    "FILLER",
    " CLICK",
    "SMALL CAPITAL",
    "LATIN SMALL LETTER ALPHA",
    "LATIN SMALL LETTER SCRIPT G",
)
"""Parts of the Unicode names of letters that nobody sees, or takes for a bar or for another letter of the script."""

LONGEST = 40

_MARK = re.compile(r" \([^()]*\)$")
_NAME = re.compile(r"[\w.-]+(?: [\w.-]+)*")
_LOOKS_LIKE_A_MATCH = re.compile(r"m\d+", re.IGNORECASE)
_LOOKS_LIKE_A_SEAT = re.compile(r"(?:player|seat|joueur|joueuse|spieler) ?\d+", re.IGNORECASE)


def validate_name(name: str) -> None:
    """Raise ValidationError for a name that could be misread: reserved, of mixed scripts, or not of letters."""
    if (
        not _NAME.fullmatch(name)
        or name != unicodedata.normalize("NFKC", name)
        or any(_is_unseen_or_alike(sign) for sign in name)
    ):
        raise ValidationError(_("A name has letters, digits, and . _ - or single spaces between them."))
    if len(name) > LONGEST:
        raise ValidationError(_("A name has at most %(most)d characters."), params={"most": LONGEST})
    if _is_reserved(name) or _LOOKS_LIKE_A_MATCH.fullmatch(name) or _LOOKS_LIKE_A_SEAT.fullmatch(name):
        raise ValidationError(_("This name is reserved, because it would be misread; choose another."))
    if len(_scripts(name)) > 1:
        raise ValidationError(
            _("This name mixes letters of several scripts that look alike; write it in one of them.")
        )


def _is_unseen_or_alike(sign: str) -> bool:
    is_foreign_digit = sign.isdigit() and not sign.isascii()
    return is_foreign_digit or any(part in unicodedata.name(sign, "") for part in _UNSEEN_OR_ALIKE)


def _is_reserved(name: str) -> bool:
    """True for a name that consists of reserved words, or looks so."""
    words = [look_of(word) for word in re.findall(r"[^\W_]+", name)]
    looks = _list_reserved_looks()
    return looks.issuperset(words) or "".join(words) in looks


@functools.cache
def _list_reserved_looks() -> frozenset[str]:
    """The looks of the reserved words; `Info` looks like `lnfo`, as `info` does not."""
    return frozenset(look_of(case(word)) for word in RESERVED for case in (str.lower, str.title, str.upper))


def unmarked(name: str) -> str:
    """A name as it is kept, from one that was copied with the mark of a bot, in any language (`User.shown_name`)."""
    return _MARK.sub("", name.strip())


def _scripts(name: str) -> set[str]:
    """The scripts of its letters, by the first word of their Unicode names: LATIN, GREEK, CYRILLIC, CJK …"""
    scripts = {unicodedata.name(sign, "?").split(" ")[0] for sign in name if sign.isalpha()}
    japanese = {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"}
    return scripts - japanese | {"JAPANESE"} if scripts & japanese else scripts


NAME_VALIDATORS = [validate_name]
"""Named by ACCOUNT_USERNAME_VALIDATORS."""
