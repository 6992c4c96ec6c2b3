"""The page with the rules of a game: `RULES.md` or `RULES.<language>.md` as HTML, and the game's facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from games import registry
from games.contract import GameMeta
from games.tutorial import Step, Tutorial, read_paragraphs
from gemserver.lib.text.translator import translator
from gemserver.matches.offered.rules_text import read_rules
from gemserver.matches.offered.tutorials import find_tutorial
from gemserver.site.lookups import find_game

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_HEADING = re.compile(r"^(?=## )", re.MULTILINE)
_TITLE = re.compile(r"\A# .*")


@dataclass(frozen=True, slots=True)
class Example:
    """A position of the tutorial, and the size of its picture: links to paragraphs below it must not slip."""

    step: Step
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the rules as HTML, and the positions that are examples of it."""

    html: SafeString
    examples: list[Example]


@dataclass(frozen=True, slots=True)
class RulesPage:
    """The game's facts and its rules, in one language."""

    meta: GameMeta
    reconstructed: list[str]
    parts: list[Part]
    """The text before the first heading, then a part for each heading."""
    tutorial: Tutorial | None
    """Its steps are the examples on the page."""


def read_rules_page(slug: str) -> RulesPage:
    """The page of one game in the active language; raises Http404 for an unknown game."""
    find_game(slug)
    return _read(slug, (get_language() or settings.LANGUAGE_CODE).partition("-")[0])


@cache
def _read(slug: str, language: str) -> RulesPage:
    meta = registry.GAMES[slug].rules.meta
    reconstructed = [part.text(translator()) for part in meta.reconstructed]
    tutorial = find_tutorial(slug)
    return RulesPage(
        meta, reconstructed, _read_parts(read_rules(slug), tutorial.steps if tutorial else ()), tutorial
    )


def _read_parts(markdown: str, steps: Sequence[Step]) -> list[Part]:
    """Read the rules from heading to heading; the examples of a part stand in the order of the tutorial.

    The title is left out: the page has it above the tabs, as the game's other pages.
    """
    parts = []
    for part in _HEADING.split(_TITLE.sub("", markdown)):
        numbers = read_paragraphs(part).keys()
        parts.append(Part(_render(part), [_measure(step) for step in steps if step.shown_at in numbers]))
    return parts


def _measure(step: Step) -> Example:
    board = step.game.layout.layout(step.view, step.names)
    return Example(step, board.width, board.height)


def _render(markdown: str) -> SafeString:
    """Render the rules; a numbered paragraph can be linked to as `#rule-8`."""
    parser, environment = _make_parser(), dict[str, str]()
    tokens = parser.parse(markdown, environment)
    for token in tokens:
        if token.type == "list_item_open" and token.info:
            token.attrSet("id", f"rule-{token.info}")
    return SafeString(parser.renderer.render(tokens, parser.options, environment))


@cache
def _make_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # large, and most processes show no rules

    return MarkdownIt("commonmark", {"html": False}).enable("table")
