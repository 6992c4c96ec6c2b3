"""A game that is no part of this repository, written by `games new` and installed for one test."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from games import registry
from games.registry import GROUP
from games.starting import write_package

SLUG = "stone_heaps"


def write_game(parent: Path) -> Path:
    """The folder of a game that has just been begun."""
    write_package(SLUG, parent)
    return parent / SLUG


@contextmanager
def installed(folder: Path) -> Iterator[str]:
    """Its slug; the package can be imported, and its entry point is found, as after `pip install`."""
    kept = dict(registry.GAMES)
    about = folder / f"{SLUG}-1.dist-info"
    about.mkdir(exist_ok=True)
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1\n")
    points = "\n".join(f"{slug} = {value}" for slug, value in project["entry-points"][GROUP].items())
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{points}\n")
    sys.path.insert(0, str(folder))
    try:
        yield SLUG
    finally:
        sys.path.remove(str(folder))
        registry.GAMES.clear()
        registry.GAMES.update(kept)
        for name in [name for name in sys.modules if name.partition(".")[0] == SLUG]:
            del sys.modules[name]
