"""Games that are no part of the server: one written by `games new`, and the example; installed for one test."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from games import registry
from games.registry import GROUP
from games.starting import write_package

SLUG = "stone_heaps"
EXAMPLE = "quay"
"""`examples/quay`: hidden hands, picks that lie face down in one half of a round, a board in the other."""


def write_game(parent: Path) -> Path:
    """The folder of a game that has just been begun."""
    write_package(SLUG, parent)
    return parent / SLUG


def copy_example(parent: Path) -> Path:
    """The folder of a copy of the example."""
    source = Path(__file__).parents[1] / "examples" / EXAMPLE
    return shutil.copytree(source, parent / EXAMPLE, ignore=shutil.ignore_patterns("__pycache__"))


@contextmanager
def installed(folder: Path) -> Iterator[str]:
    """Its slug, as its folder is called; the package can be imported, and its entry point is found, as after `pip
    install`."""
    kept = dict(registry.GAMES)
    slug = folder.name
    about = folder / f"{slug}-1.dist-info"
    about.mkdir(exist_ok=True)
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1\n")
    points = "\n".join(f"{slug} = {value}" for slug, value in project["entry-points"][GROUP].items())
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{points}\n")
    sys.path.insert(0, str(folder))
    try:
        yield slug
    finally:
        sys.path.remove(str(folder))
        registry.GAMES.clear()
        registry.GAMES.update(kept)
        for name in [name for name in sys.modules if name.partition(".")[0] == slug]:
            del sys.modules[name]
