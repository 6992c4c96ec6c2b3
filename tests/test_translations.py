"""Every sentence that a person reads is translated into every offered language."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import polib
import pytest

from games.registry import GAMES, OWN, game
from games.tutorial import read_tutorial
from tests.catalogues import CATALOGUES, LANGUAGES, list_entries

ROOT = Path(__file__).resolve().parent.parent
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+[^{}]*\}")
NAMES_THAT_PEOPLE_CHOOSE = frozenset(
    {
        "author",
        "by",
        "club",
        "domain",
        "entry",
        "event",
        "former",
        "host",
        "leader",
        "name",
        "newcomer",
        "oya",
        "player",
        "proposer",
        "recipient",
        "reporter",
        "sender",
        "sitter",
        "who",
        "whom",
    }
)
NUMBER = re.compile(r"^(?:#+ )?(\d+(?:\.\d+)*)", re.MULTILINE)


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_no_sentence_is_left_untranslated(path: Path) -> None:
    entries = polib.pofile(str(ROOT / path))
    assert [entry.msgid for entry in entries.untranslated_entries()] == []
    assert [entry.msgid for entry in entries.fuzzy_entries()] == []


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("xgettext"), reason="GNU gettext is not installed")
def test_the_catalogues_have_every_sentence_of_the_code(tmp_path: Path) -> None:
    """If this fails after a new or changed sentence, run `make messages` and translate it."""
    for name in ("games", "gemserver", "templates", "locale", "manage.py"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    locales = [f"--locale={language}" for language in LANGUAGES]
    subprocess.run(
        [sys.executable, "manage.py", "makemessages", *locales, "--no-location", "--no-obsolete"],
        cwd=tmp_path,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "gemserver.settings"},
        check=True,
        capture_output=True,
    )
    for path in CATALOGUES:
        known = {entry.msgid for entry in polib.pofile(str(ROOT / path)) if not entry.obsolete}
        found = polib.pofile(str(tmp_path / path))
        assert sorted({entry.msgid for entry in found} - known) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_of_both_catalogues_is_translated_in_one_way(language: str) -> None:
    said: dict[tuple[str | None, str], str] = {}
    for entry in list_entries(language):
        assert said.setdefault((entry.msgctxt, entry.msgid), entry.msgstr) == entry.msgstr


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_fill_in_the_same_things(language: str) -> None:
    wrong = []
    for entry in list_entries(language):
        forms = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
        source = entry.msgid_plural or entry.msgid
        expected = Counter(PLACEHOLDER.findall(source))
        for form in forms:
            found = Counter(PLACEHOLDER.findall(form))
            # The singular may say "one" instead of the number.
            if set(found) - set(expected) or (form is forms[-1] and found.keys() != expected.keys()):
                wrong.append((entry.msgid, form))
    assert wrong == []


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_what_is_read_is_what_was_translated(path: Path) -> None:
    """`make messages` compiles the catalogue; both files are committed, so that nobody who plays needs tools for it."""
    compiled = polib.mofile(str((ROOT / path).with_suffix(".mo")))
    read = {(entry.msgctxt, entry.msgid): (entry.msgstr, entry.msgstr_plural) for entry in compiled}
    written = {
        (entry.msgctxt, entry.msgid): (entry.msgstr, entry.msgstr_plural)
        for entry in polib.pofile(str(ROOT / path)).translated_entries()
    }
    assert read == written


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", sorted(GAMES))
def test_the_rules_have_the_same_paragraphs(slug: str, language: str) -> None:
    folder = ROOT / "games" / slug
    translated = (folder / f"RULES.{language}.md").read_text(encoding="utf-8")
    assert NUMBER.findall(translated) == NUMBER.findall((folder / "RULES.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("slug", sorted(GAMES))
def test_no_line_within_a_paragraph_of_the_rules_begins_like_another(slug: str) -> None:
    """In a mail "a bid of / 0. The investments" would be read as paragraph 0."""
    for path in (ROOT / "games" / slug).glob("RULES*.md"):
        inner = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(" ")]
        begun, _, _ = zip(*(line.lstrip().partition(". ") for line in inner), strict=True)
        assert not any(word.isdigit() for word in begun), path.name


LOOSE_SIGN = re.compile(r"[ \n][;:!?](?=[\s.,)<]|$)|«[ \n]|[ \n]»")
"""A French sign that may begin or end a line: before : ; ! ? and inside « » a blank stands that holds together."""


def test_no_french_line_begins_with_its_punctuation() -> None:
    sentences = [
        form
        for entry in list_entries("fr")
        for form in (entry.msgstr, *entry.msgstr_plural.values())
        if LOOSE_SIGN.search(form)
    ]
    assert sentences == []


@pytest.mark.parametrize("slug", OWN)
def test_no_line_of_french_rules_or_tutorials_begins_with_its_punctuation(slug: str) -> None:
    tutorial = read_tutorial(game(slug), "fr")
    assert tutorial is not None
    said = [
        sentence
        for step in tutorial.steps
        for sentence in (step.title, step.text, step.task, *step.sentences)
    ]
    texts = [tutorial.welcome, tutorial.farewell, *said, game(slug).read_rules("fr")]
    assert [text for text in texts if LOOSE_SIGN.search(text)] == []
    assert any("\u00a0" in sentence for sentence in said)


def test_no_french_name_stands_where_its_first_letter_would_change_the_word_before_it() -> None:
    """“la mise de Ana” is wrong, and so is “d’Ben”: a sentence is turned so that neither is needed."""
    elided = re.compile(r"\b(?:de|que|d’|qu’)[\s\xa0]*(?:<\w[^>]*>)?(?:\{(\w+)\}|%\((\w+)\)s)", re.IGNORECASE)
    wrong = [
        entry.msgid
        for entry in list_entries("fr")
        for form in (entry.msgstr, *entry.msgstr_plural.values())
        if {name for match in elided.findall(form) for name in match} & NAMES_THAT_PEOPLE_CHOOSE
    ]
    assert wrong == []
