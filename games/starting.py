"""`python -m games new NAME`: a package with a game that can be played and tested as it stands."""

from __future__ import annotations

import re
import sys
from importlib import resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

from games.contract import GameError
from games.registry import list_installed

TEMPLATE = "nim"
"""The game in `games/starter`; its name is replaced by the new one in every file and file name."""
_NAME = re.compile(r"[a-z][a-z0-9_]{1,19}")
_LEFT_OUT = ("__pycache__", ".")
_NAMED = re.compile(rf"\b(class |rules=|import )?({TEMPLATE.capitalize()}|{TEMPLATE})\b")


def write_package(name: str, parent: Path) -> list[Path]:
    """Write the package into the folder `parent/name` and return its files. Raises GameError (`bad-name`, `exists`)."""
    if not _NAME.fullmatch(name) or iskeyword(name) or _is_taken(name):
        raise GameError(
            "bad-name",
            "A game cannot be called “{name}”. Take a word of 2 to 20 small letters, digits and _ that is no other "
            "module’s.",
            name=name,
        )
    target = parent / name
    if target.exists():
        raise GameError("exists", "{folder} is there already.", folder=str(target))
    return _copy(resources.files("games") / "starter", target, name)


def _is_taken(name: str) -> bool:
    """Return whether a game or a module is called so: of two, only one could be imported."""
    if name in {*sys.stdlib_module_names, *list_installed(), "games", "gemserver", "tests"}:
        return True
    found = find_spec(name)
    return found is not None and found.origin is not None  # a folder of this name is no module


def _copy(source: Traversable, target: Path, name: str) -> list[Path]:
    target.mkdir(parents=True)
    written = []
    for entry in sorted(source.iterdir(), key=lambda entry: entry.name):
        if entry.name.startswith(_LEFT_OUT):
            continue
        to = target / _rename(entry.name, name)
        if entry.is_dir():
            written += _copy(entry, to, name)
        else:
            to.write_text(_rename(entry.read_text(encoding="utf-8"), name), encoding="utf-8")
            written.append(to)
    return written


def _rename(text: str, name: str) -> str:
    """Put the new game's name into the text: as a word, as a title (`My game`), or as a class (`MyGame`)."""
    title = name.replace("_", " ").capitalize()
    class_name = "".join(part.capitalize() for part in name.split("_"))

    def replace(found: re.Match[str]) -> str:
        if found[2] == TEMPLATE:
            return (found[1] or "") + name
        return found[1] + class_name if found[1] else title

    return _NAMED.sub(replace, text)
