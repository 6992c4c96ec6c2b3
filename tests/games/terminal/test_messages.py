"""`gemgames messages`: the author of a game translates it, with GNU gettext and nothing of this repository."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest

from games.__main__ import main
from games.registry import game, load
from games.terminal import messages
from games.terminal.language import read_translator
from tests.strangers import copy_example, installed

pytestmark = pytest.mark.skipif(not shutil.which("xgettext"), reason="GNU gettext is not installed")


@pytest.fixture
def quay(tmp_path: Path) -> Iterator[Path]:
    """The folder of an installed package."""
    folder = copy_example(tmp_path)
    with installed(folder):
        yield folder / "quay"


def test_what_is_translated_is_said_and_kept(quay: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = quay / "locale" / "de" / "LC_MESSAGES" / "django.po"
    assert main(["messages", "quay", "de"]) == 0
    assert f"{file}: 0 translated messages" in capsys.readouterr().out
    catalogue = polib.pofile(str(file))
    found = {entry.msgid for entry in catalogue}
    assert "You have laid a card." in found, "in the code"
    assert "The quay; the same position stands below in words." in found, "in a template"
    assert "Say which card you lay: offer 17." in found, "in a refusal"
    assert "storm: five fields of the quay are under water" in found, "of an option"
    assert {"offer", "load"} <= found, "the words of moves"
    assert {"calm", "storm"} <= found, "the values of options"
    assert "The match is over: {scores}." not in found, "the house says it"
    catalogue.find("You have laid a card.").msgstr = "Du hast eine Karte gelegt."
    catalogue.save()
    assert main(["messages", "quay", "de"]) == 0
    assert "1 translated message," in capsys.readouterr().out
    said = read_translator("de", load("quay"))
    assert said.gettext("You have laid a card.") == "Du hast eine Karte gelegt."


def test_what_is_no_language_is_refused(quay: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["messages", "quay", "../de"]) == 2
    assert "“../de” is no language: write de or fr." in capsys.readouterr().err
    assert not (quay / "locale").exists()


def test_without_gettext_it_says_what_to_install(
    quay: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(messages.shutil, "which", lambda tool: None)
    assert main(["messages", "quay", "de"]) == 2
    assert "apt-get install gettext" in capsys.readouterr().err
    assert not (quay / "locale").exists()


def test_a_game_of_the_house_gets_no_catalogue_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Its sentences are translated elsewhere already, and these would be added to them."""
    assert main(["messages", "gem", "de"]) == 2
    assert "invalid (of-the-house): GEM comes with gemgames" in capsys.readouterr().err
    assert not (game("gem").folder / "locale").is_dir()
