"""The style sheet's colours can be told apart (WCAG 2.2, 1.4.3 and 1.4.11, level AA)."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template import engines
from django.template.loader_tags import BlockNode, ExtendsNode

SHEET = (Path(settings.BASE_DIR) / "static/css/site.css").read_text()

TEXT = 4.5
SHAPES = 3.0

GROUNDS = ("ground", "surface")
PAIRS = [
    *((ink, ground, TEXT) for ink, ground in product(("ink", "muted", "accent", "accent-strong"), GROUNDS)),
    *(("mine", ground, TEXT) for ground in (*GROUNDS, "mine-soft")),
    *(
        ("muted", "sunken", TEXT),
        ("ink", "sunken", TEXT),
        ("bad", "bad-soft", TEXT),
        ("ink", "good-soft", TEXT),
    ),
    *(
        ("on-accent", "accent", TEXT),
        ("on-accent", "accent-strong", TEXT),
        ("accent-strong", "accent-soft", TEXT),
    ),
    *(("ink", "bad-soft", TEXT), ("ink", "accent-soft", TEXT), ("accent", "accent-soft", TEXT)),
    *((line, ground, SHAPES) for line, ground in product(("field-line", "focus"), GROUNDS)),
    ("bad", "surface", TEXT),
    ("on-badge", "badge", TEXT),
]


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


def schemes() -> dict[str, dict[str, str]]:
    light, dark = (colours(block) for block in re.findall(r":root \{(.*?)\}", SHEET, re.S))
    return {"light": light, "dark": light | dark}


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    brighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_contrast_is_measured_as_defined() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "least"), PAIRS)
def test_colours_can_be_told_apart(scheme: str, ink: str, ground: str, least: float) -> None:
    palette = schemes()[scheme]
    assert contrast(palette[ink], palette[ground]) >= least


def test_both_schemes_name_the_same_colours() -> None:
    light, dark = (colours(block) for block in re.findall(r":root \{(.*?)\}", SHEET, re.S))
    assert light.keys() == dark.keys()


def test_every_static_file_that_a_template_names_is_there() -> None:
    named = {
        (template.name, path)
        for template in (Path(settings.BASE_DIR) / "templates").rglob("*.html")
        for path in re.findall(r'{% static "([^"]+)" %}', template.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert [place for place in sorted(named) if finders.find(place[1]) is None] == []


@pytest.mark.slow
def test_every_class_that_is_styled_stands_on_a_page() -> None:
    """A class that was renamed on one side only leaves a page unstyled."""
    root = Path(settings.BASE_DIR)
    sheets = "".join(path.read_text(encoding="utf-8") for path in (root / "static/css").glob("*.css"))
    styled = set(re.findall(r"\.([a-z][\w-]*)(?=[^{}]*\{)", re.sub(r"/\*.*?\*/", "", sheets, flags=re.S)))
    pages = [
        *(root / "templates").rglob("*.*"),
        *(root / "games").glob("*/templates/*"),
        *(root / "static/js").glob("*.js"),
        *(root / "gemserver").rglob("*.py"),
    ]
    words = set(re.findall(r"[a-z][\w-]*", " ".join(path.read_text(encoding="utf-8") for path in pages)))
    assert len(styled) > 50
    assert sorted(styled - words - {"colM", "errorlist", "field-mail_mode", "htmx-request"}) == [], (
        "these are of Django and htmx"
    )


def test_every_block_of_a_template_has_its_place_in_the_one_it_extends() -> None:
    """Django shows a block nowhere if the base has none of its name; so the page about a held mail was empty."""
    root, engine = Path(settings.BASE_DIR) / "templates", engines["django"].engine
    lost = []
    # Those of the moderators extend Django's of the same name.
    pages = {path for path in root.rglob("*.html") if not path.is_relative_to(root / "admin")}
    for path in sorted(path for path in pages if "{% extends" in path.read_text(encoding="utf-8")):
        own = engine.get_template(str(path.relative_to(root))).nodelist.get_nodes_by_type(ExtendsNode)
        places, extends = set(), own
        while extends:
            parent = engine.get_template(extends[0].parent_name.var)
            places |= {block.name for block in parent.nodelist.get_nodes_by_type(BlockNode)}
            extends = parent.nodelist.get_nodes_by_type(ExtendsNode)
        blocks = [node.name for each in own for node in each.nodelist if isinstance(node, BlockNode)]
        lost += [(path.name, block) for block in blocks if block not in places]
    assert lost == []
