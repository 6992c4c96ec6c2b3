"""Texts that the law asks of whoever runs a site, an imprint and what is said of privacy: files, one for each language.

The folder LEGAL_DIR holds `imprint.de.md`, `privacy.fr.md` and so on. They are read when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from gemserver.lib.text.markdown import render

KINDS = ("imprint", "privacy")


@dataclass(frozen=True, slots=True)
class LegalText:
    """A text and the code of its language."""

    language: str
    text: str

    @property
    def html(self) -> SafeString:
        """The text as HTML: headings after `#`, and the little Markdown that players may write too."""
        blocks: list[str] = [""]
        for line in self.text.splitlines():
            if line.startswith("#"):
                blocks += [line, ""]
            else:
                blocks[-1] += f"{line}\n"
        return mark_safe("\n".join(_render(block) for block in blocks if block.strip()))


def _render(block: str) -> str:
    if not block.startswith("#"):
        return render(block)
    return f"<h2>{render(block.lstrip('#').strip()).strip().removeprefix('<p>').removesuffix('</p>')}</h2>"


def find_text(kind: str) -> LegalText | None:
    """The text in the reader's language, otherwise in English or the first language there is; None if there is none."""
    languages = list_languages(kind)
    for language in (get_language(), settings.LANGUAGE_CODE, *languages):
        if language in languages:
            return LegalText(language, _path(kind, language).read_text(encoding="utf-8"))
    return None


def list_languages(kind: str) -> list[str]:
    """Codes of the languages in which there is such a text."""
    if not settings.LEGAL_DIR:
        return []
    return [code for code, _ in settings.LANGUAGES if isfile(_path(kind, code))]


def find_faults() -> Iterator[str]:
    """Yield what is wrong with the folder, in English; nothing where none is set."""
    if not settings.LEGAL_DIR:
        return
    folder = Path(settings.LEGAL_DIR)
    named = {_path(kind, code).name for kind in KINDS for code, _ in settings.LANGUAGES}
    try:
        found = {path.name for path in folder.iterdir()}
        if not found & named:
            yield f"{folder} has none of {', '.join(sorted(named))}"
        for name in sorted(found & named):
            if not (folder / name).read_text(encoding="utf-8").strip():
                yield f"{folder / name} is empty"
    except (OSError, ValueError) as error:
        yield f"{folder} cannot be read: {error}"


def _path(kind: str, language: str) -> Path:
    return Path(settings.LEGAL_DIR, f"{kind}.{language}.md")
