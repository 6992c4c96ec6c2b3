"""Reads the little Markdown that players may write; `gemserver.lib.text.markdown` loads it with the first text."""

from __future__ import annotations

import re
from urllib.parse import unquote

from django.utils.html import Urlizer
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

SCHEMES = frozenset({"http", "https", "mailto"})
"""Schemes that links may use."""

_RULES = ("paragraph", "text", "newline", "escape", "emphasis", "backticks", "fence", "list", "blockquote")
_ADDRESS = re.compile(r"""\bhttps?://(?![/?#[]|[^\s/?#]*@)[^\s<>"'|\\^`{}]{1,500}""", re.IGNORECASE)
"""A web address as people paste it; none with a user name before its host, which would pass for another host."""
_TARGET = re.compile(r"https?://([^\s/?#@%\[\]]+)(?:[/?#]|$)|mailto:([^\s?]+)$", re.IGNORECASE)
"""Where a link may lead: to a host that is named and has no user name before it, or to a mail address."""
_trim_punctuation = Urlizer().trim_punctuation


def _link_addresses(state: StateCore) -> None:
    """Turn web addresses in the text into links, and say behind a link with a text of its own where it leads."""
    for block in state.tokens:
        if (
            block.type == "inline"
            and block.children
            and ("://" in block.content or "mailto:" in block.content)
        ):
            target, linked = "", []
            for token in block.children:
                if token.type == "link_open":
                    target = str(token.attrs["href"])
                linked += _linked(token) if token.type == "text" and not target else [token]
                if token.type == "link_close":
                    linked += [] if token.info == "auto" else [_text(token, f" ({_place(target)})")]
                    target = ""
            block.children = linked


def _place(target: str) -> str:
    """The host of a link's target, or the mail address: a text of its own may name another one."""
    found = _TARGET.match(target)
    return unquote(found[1] or found[2]) if found else ""


def _linked(token: Token) -> list[Token]:
    """The text with its addresses as links, each of which shows its target letter by letter."""
    parts: list[Token] = []
    done = 0
    for found in _ADDRESS.finditer(token.content):
        _, address, _ = _trim_punctuation(found[0])
        if address.endswith("://") or found.start() < done:
            continue
        parts += [_text(token, token.content[done : found.start()]), *_link(token, address)]
        done = found.start() + len(address)
    return [*parts, _text(token, token.content[done:])]


def _link(near: Token, address: str) -> list[Token]:
    begin = Token("link_open", "a", 1, attrs={"href": address}, level=near.level)
    return [begin, _text(near, address), Token("link_close", "a", -1, level=near.level)]


def _text(near: Token, content: str) -> Token:
    return Token("text", "", 0, content=content, level=near.level)


PARSER = MarkdownIt("zero", {"html": False, "breaks": True, "maxNesting": 12})
PARSER.enable([*_RULES, "balance_pairs", "fragments_join", "link", "autolink"])
PARSER.validateLink = lambda url: bool(_TARGET.match(url))  # type: ignore[method-assign]
PARSER.core.ruler.push("addresses", _link_addresses)
