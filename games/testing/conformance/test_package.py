"""Every package has its texts of deals, rules page, picture and sign."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from typing import Any

import pytest

from games import plies
from games.contract import FIRST_SEAT, InvalidMove
from games.registry import game
from games.testing.cases import Case, deal

_PLACE = re.compile(r"(?:%\(|\{)(\w+)")
"""Matches a place for a name, in sentences of words (`{name}`) and of pictures (`%(name)s`)."""


def test_an_explicit_deal_gives_the_same_first_position(case: Case) -> None:
    rules = case.rules
    first = deal(case)
    waiting = rules.waiting_on(first)
    starter = min(waiting) if len(waiting) == 1 else 0
    text = rules.write_deal(first)
    assert "\n" not in text
    again = rules.deal_explicit(seats=case.seats, options=dict(case.options), deal=text, first=starter)
    assert again == first
    assert rules.write_deal(again) == text


@pytest.mark.parametrize("damage", ["", "nonsense", "half"])
def test_a_damaged_deal_is_refused(case: Case, damage: str) -> None:
    text = case.rules.write_deal(deal(case))
    broken = text[: len(text) // 2] if damage == "half" else damage
    with pytest.raises(InvalidMove):
        case.rules.deal_explicit(seats=case.seats, options=dict(case.options), deal=broken, first=0)


def test_a_schedule_can_fix_the_turn_order(case: Case) -> None:
    """Seat A begins in place of the seat that was drawn; all else lies as it was dealt."""
    drawn = deal(case)
    fixed = plies.deal(case.rules, case.seats, {**dict(case.options), FIRST_SEAT.name: "A"}, case.seed)
    assert case.rules.write_deal(fixed) == case.rules.write_deal(drawn)
    assert 0 in case.rules.waiting_on(fixed)


def test_the_slug_is_the_registered_one(slug: str) -> None:
    meta = game(slug).rules.meta
    assert meta.slug == slug
    assert re.fullmatch(r"[a-z][a-z0-9_]{1,19}", slug)
    assert 1 < meta.min_seats <= meta.max_seats
    assert meta.designer
    assert meta.version >= 1


def test_phrases_can_be_read(slug: str) -> None:
    """A server reads them with the first mail in their language."""
    folder = game(slug).folder / "phrases"
    for file in folder.iterdir() if folder.is_dir() else ():
        if file.name.endswith(".txt"):
            try:
                text = file.read_bytes().decode("utf-8")
            except UnicodeDecodeError as error:
                raise AssertionError(f"phrases/{file.name} is not written in UTF-8: {error}") from error
            for line in text.replace("\n    ", " ").splitlines():
                assert ": " in line, (
                    f"phrases/{file.name}: “{line}” is no word with its phrases: `pass: fold; no bid`"
                )


def test_nothing_is_missing(slug: str) -> None:
    folder = game(slug).folder
    assert game(slug).read_rules().startswith("# ")
    assert (folder / "templates" / "board.svg").is_file()
    assert (folder / "templates" / "emblem.svg").is_file()


def test_the_rules_page_names_designer_and_reconstructed_parts(slug: str) -> None:
    meta = game(slug).rules.meta
    page = game(slug).read_rules()
    assert meta.designer in page
    if meta.year is not None:
        assert str(meta.year) in page
    if meta.reconstructed:
        assert "econstruct" in page


def test_translations_ask_for_nothing_that_the_sentence_has_not(slug: str) -> None:
    """A name in braces that only the translation has would fail on the page and in the mail, for some readers alone."""
    for file in _list_catalogues(slug):
        with file.open("rb") as opened:
            catalogue: dict[Any, str] = gettext.GNUTranslations(opened)._catalog  # type: ignore[attr-defined]
        for key, translated in catalogue.items():
            sentence = key[0] if isinstance(key, tuple) else key
            extra = {*_PLACE.findall(translated)} - {*_PLACE.findall(sentence)}
            assert not extra or not sentence, (
                f"{file}: {translated!r} has {sorted(extra)}, {sentence!r} has not"
            )


def _list_catalogues(slug: str) -> Iterator[Traversable]:
    locale = game(slug).folder / "locale"
    for language in locale.iterdir() if locale.is_dir() else ():
        file = language / "LC_MESSAGES" / "django.mo"
        if file.is_file():
            yield file
