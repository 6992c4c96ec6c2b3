"""`python -m games messages NAME LANGUAGE …`: finds the sentences of a package, and compiles its translations.

GNU gettext does the work. What the house has translated already is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from games.chance import NO_SEED, Chance
from games.contract import Game, GameError
from games.match import Match
from games.registry import OWN, find
from games.terminal.language import find_house_catalogue
from games.terminal.status import FINE

KEYWORDS = ("Message:1", "GameError:2", "InvalidMove:2", "AmbiguousMove:2", "IllegalMove:2", "Option:3")
"""Callables and which of their arguments is the sentence, beside those of gettext."""
TEMPLATES = (".svg", ".jinja", ".html")

_TAG = re.compile(r"{[{%]((?:(?!{[{%]).)*?)[}%]}")
_TOOLS = ("xgettext", "msginit", "msgmerge", "msgfmt", "msgunfmt")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def run_messages(parsed: Namespace) -> int:
    """Bring the catalogues of these languages up to date, and say what is left to translate."""
    entry = find(parsed.slug)
    folder = _find_source(entry)
    for tool in _TOOLS:
        if shutil.which(tool) is None:
            raise GameError(
                "no-gettext",
                "There is no {tool} here. Install GNU gettext: apt-get install gettext.",
                tool=tool,
            )
    for language in parsed.languages:
        if not _LANGUAGE.fullmatch(language):
            raise GameError("bad-language", "“{language}” is no language: write de or fr.", language=language)
        file, told = translate(entry, folder, language)
        print(f"{file}: {told}")
    return FINE


def _find_source(entry: Game) -> Path:
    """The folder in which the author works. Raises GameError (`a-copy`, `of-the-house`)."""
    if entry.rules.meta.slug in OWN:
        raise GameError(
            "of-the-house",
            "{game} comes with gemgames, and so do its translations. Name a game of your own.",
            game=entry.rules.meta.title,
        )
    folder = Path(str(entry.folder))
    if "site-packages" in folder.parts:
        raise GameError(
            "a-copy",
            "{folder} is a copy of the package. Install the package itself: pip install -e FOLDER.",
            folder=str(folder),
        )
    return folder


def translate(entry: Game, folder: Path, language: str) -> tuple[Path, str]:
    """Write `django.po` with all sentences of the package, keeping what is translated, and `django.mo` beside it.

    Returns the file to translate in, and how many of its sentences are translated.
    """
    place = folder / "locale" / language / "LC_MESSAGES"
    place.mkdir(parents=True, exist_ok=True)
    file = place / "django.po"
    with TemporaryDirectory() as name:
        work = Path(name)
        sentences = _find_sentences(entry, folder, language, work)
        if file.exists():
            _run("msgmerge", "--quiet", "--update", "--backup=none", "--no-fuzzy-matching", file, sentences)
        else:
            _run("msginit", "--no-translator", "-l", f"{language}.UTF-8", "-i", sentences, "-o", file)
    return file, _run("msgfmt", "--statistics", "--check-format", "-o", file.with_suffix(".mo"), file)


def _find_sentences(entry: Game, folder: Path, language: str, work: Path) -> Path:
    """Write all sentences of the package into a file, but for those that the house has in this language."""
    for source in sorted(folder.rglob("*")):
        if source.suffix == ".py" or source.suffix in TEMPLATES:
            copy = work / "sources" / f"{'_'.join(source.relative_to(folder).parts)}.py"
            copy.parent.mkdir(exist_ok=True)
            text = source.read_text(encoding="utf-8")
            copy.write_text(text if source.suffix == ".py" else read_template(text), encoding="utf-8")
    words = [*_list_verbs(entry), *(value for option in entry.rules.meta.options for value in option.values)]
    code = "".join(f"gettext({word!r})\n" for word in words)
    (work / "sources" / "words.py").write_text(code, encoding="utf-8")
    known, found = work / "house.po", work / "found.po"
    house = find_house_catalogue(language)
    known.write_text(_run("msgunfmt", house) if house else "", encoding="utf-8")
    found.write_text('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n', encoding="utf-8")
    options = ["--language=Python", "--from-code=UTF-8", "--no-location", "--no-wrap", "--join-existing"]
    keywords = [f"--keyword={word}" for word in KEYWORDS]
    _run("xgettext", *options, *keywords, "-x", known, "-o", found, *sorted((work / "sources").iterdir()))
    return found


def read_template(text: str) -> str:
    """The tags of a template of Jinja as lines of Python, in which xgettext finds their sentences.

    >>> read_template('<text>{{ _("to act") }}</text>')
    '_("to act")'
    """
    tags = ("; ".join(found.strip() for found in _TAG.findall(line)) for line in text.split("\n"))
    return "\n".join(tags)


def _list_verbs(entry: Game) -> Iterator[str]:
    """The words with which the moves of a random match begin: `Words.name_verb` may ask for their translation."""
    match = Match.new(entry, seed=NO_SEED)
    verbs = dict[str, None]()
    while not match.is_over:
        seat = match.waiting[0]
        move = entry.rules.random_move(match.state, seat, Chance(NO_SEED, f"verbs {match.ply}"))
        verbs.setdefault(entry.rules.write(move).split()[0])
        match.play_move(seat, move)
    yield from verbs


def _run(*command: object) -> str:
    """Run a tool of GNU gettext and return what it prints. Raises GameError (`gettext`)."""
    ran = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        raise GameError("gettext", "GNU gettext refuses it: {said}", said=ran.stderr.strip())
    return ran.stdout or ran.stderr.strip()
