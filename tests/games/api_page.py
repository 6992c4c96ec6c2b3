"""Writes `docs/games-api.md` from the docstrings: `make api`."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "games-api.md"
MODULES = (
    "match",
    "contract",
    "picture",
    "simple",
    "registry",
    "plies",
    "record",
    "record_headers",
    "replay",
    "verify",
    "bots",
    "course",
    "orders",
    "tutorial",
)
HEAD = """\
# What `games` offers

Written by `make api` from the docstrings; `python -m pydoc games.contract` shows a module whole.
"""


def write_page() -> str:
    """Write the page from the present docstrings."""
    modules = [importlib.import_module(f"games.{name}") for name in MODULES]
    return "\n".join([HEAD, *(line for module in modules for line in tell_module(module))])


def tell_module(module: ModuleType) -> Iterator[str]:
    yield f"## {module.__name__}\n"
    yield from wrap(first_paragraph(module))
    yield ""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value) and value.__doc__:
            yield from wrap(f"* **`{name}`**: {first_paragraph(value)}", "  ")
            yield from tell_members(value)
        elif inspect.isfunction(value):
            yield from wrap(f"* **`{name}{signature(value)}`**: {first_paragraph(value)}", "  ")
    yield ""


def tell_members(owner: type) -> Iterator[str]:
    for name, value in vars(owner).items():
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if name.startswith("_") or not inspect.getdoc(function):
            continue
        if isinstance(function, property):
            yield from wrap(f"  * `{name}`: {first_paragraph(function)}", "    ")
        elif inspect.isfunction(function):
            yield from wrap(f"  * `{name}{signature(function)}`: {first_paragraph(function)}", "    ")


def wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def signature(function: Any) -> str:
    names = [
        ("*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else "")
        + each.name
        for each in inspect.signature(function).parameters.values()
        if each.name not in ("self", "cls")
    ]
    return f"({', '.join(names)})"


def first_paragraph(thing: Any) -> str:
    text = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    return re.sub(r"\s+", " ", text)


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
    print(PAGE.name)
