"""Bytes of a mail as text, whatever its charset label says (mail-requirements.md M4)."""

from __future__ import annotations

import codecs

_ALIASES = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "euc-kr": "cp949",
    "iso-2022-jp": "iso2022_jp_ext",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "big5": "big5hkscs",
    "iso-8859-1": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "unicode-1-1-utf-7": "utf-8",
    "utf-7": "utf-8",
}
_PLAIN = frozenset(
    {
        "",
        "us-ascii",
        "ascii",
        "iso-8859-1",
        "latin-1",
        "latin1",
        "windows-1252",
        "cp1252",
        "utf-8",
        "utf8",
        "8bit",
        "default",
    }
)
_SHIFTED = ("iso-2022", "iso2022", "hz", "utf-16", "utf16", "utf-32", "utf32")
_TEXT_CODECS_ONLY = frozenset(
    [
        "base64",
        "base_64",
        "bz2",
        "hex",
        "quopri",
        "quoted_printable",
        "quotetabs",
        "rot13",
        "rot_13",
        "uu",
        "zip",
        "zlib",
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "unicode_internal",
        "undefined",
        "mbcs",
        "oem",
    ]
)


def decode_bytes(raw: bytes, declared: str | None) -> str:
    """The text of `raw`; never raises, since a wrong label must not cost a player the move.

    UTF-8 is tried first if the label is missing, or is a default so common that it says little. If a label does not
    fit, UTF-8 is tried, then Windows-1252, in which every byte has a meaning.
    """
    label = (declared or "").strip().strip("\"'").lower()[:40]
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and "utf" in label:
        return raw.decode("utf-16", "replace")
    codec = _ALIASES.get(label, label)
    order = ["utf-8", codec] if label in _PLAIN else [codec, "utf-8"]
    if label.startswith(("big5", "euc", "gb", "ks_c", "shift")):
        order.insert(0, "utf-8")
    for name in order:
        text = _decode(raw, name)
        if text is not None:
            return text
    if label.startswith(_SHIFTED) or codec.startswith(("gb18030", "cp9", "big5", "euc", "iso2022")):
        text = _decode(raw, codec, "replace")
        if text is not None:
            return text
    return raw.decode("cp1252", "replace")


def _decode(raw: bytes, codec: str, errors: str = "strict") -> str | None:
    """The text; None if the codec is unknown, is no charset, or does not fit."""
    if not codec or codec.replace("-", "_") in _TEXT_CODECS_ONLY:
        return None
    try:
        return raw.decode(codec, errors)
    except (LookupError, ValueError, TypeError, AssertionError):
        return None
