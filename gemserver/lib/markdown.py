"""The little Markdown that players may write: emphasis, links, code, lists, quotes. No pictures, no HTML."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

SCHEMES = frozenset({"http", "https", "mailto"})
"""Where a link may lead."""

_TAGS = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a"}
_RULES = ("paragraph", "text", "newline", "escape", "emphasis", "backticks", "fence", "list", "blockquote")

_MARKDOWN = MarkdownIt("zero", {"html": False, "breaks": True, "maxNesting": 12})
_MARKDOWN.enable([*_RULES, "balance_pairs", "fragments_join", "link", "autolink"])
_MARKDOWN.validateLink = lambda url: url.partition(":")[0].lower() in SCHEMES  # type: ignore[method-assign]


def render(text: str) -> SafeString:
    """What a player wrote, as HTML that can hold nothing else than the tags above; a line break is one.

    Links tell where they lead nothing of us (`rel`). Written by the renderer, then cleaned once more by a
    sanitiser that shares no code with it (`email.md`, threat 14).
    """
    html = _MARKDOWN.render(text)
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
        url_schemes=set(SCHEMES),
        link_rel="nofollow noopener noreferrer ugc",
    )
    return SafeString(clean)
