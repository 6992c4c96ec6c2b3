"""The little Markdown that players may write: emphasis, links, code, lists, quotes. No pictures, no HTML."""

from __future__ import annotations

from django.utils.safestring import SafeString

_TAGS = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a"}


def render(text: str) -> SafeString:
    """Render a player's text as HTML with no other tags than those above; a line break stays one.

    Links reveal nothing about us to the site they lead to (`rel`). The HTML is written by the renderer, then cleaned
    again by a sanitiser that shares no code with it (mail-requirements.md threat 14).
    """
    # Both are large, and most processes show no text of players.
    import nh3

    from gemserver.lib.text.markdown_parser import PARSER, SCHEMES

    clean = nh3.clean(
        PARSER.render(text),
        tags=_TAGS,
        attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
        url_schemes=set(SCHEMES),
        link_rel="nofollow noopener noreferrer ugc",
    )
    return SafeString(clean)
