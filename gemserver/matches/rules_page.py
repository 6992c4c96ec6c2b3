"""The rules of a game for people: its `RULES.md` and what is true of it before anybody plays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from django.http import Http404
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from games import registry
from games.contract import GameMeta

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True, slots=True)
class RulesPage:
    """The game's facts and its rules as HTML."""

    meta: GameMeta
    html: SafeString


@cache
def read_rules_page(slug: str) -> RulesPage:
    """The page of one game; raises Http404 for an unknown one."""
    if slug not in registry.GAMES:
        raise Http404
    text = files(f"games.{slug}").joinpath("RULES.md").read_text(encoding="utf-8")
    return RulesPage(registry.GAMES[slug].rules.meta, SafeString(_MARKDOWN.render(text)))
