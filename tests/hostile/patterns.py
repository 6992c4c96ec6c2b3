"""Every regular expression of the server and the games, found in the modules, and its use there."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import games
import gemserver
from gemserver.lib.text.patterns import Pattern

LEFT_OUT = (
    "gemserver.asgi",
    "gemserver.settings",
    "gemserver.wsgi",
    "gemserver.celery",
    "gemserver.management",
    "games.__main__",
)


@dataclass(frozen=True)
class Known:
    """An expression by its name in its module; `searches`: used at every place of a text."""

    name: str
    written: str
    flags: int
    searches: bool


@cache
def find_patterns() -> Mapping[str, Known]:
    """By module and name."""
    found: dict[str, Known] = {}
    for module in _modules():
        patterns = {name: list(_inside(value)) for name, value in vars(module).items()}
        used = _methods(module) if any(patterns.values()) else {}
        for name, inside in patterns.items():
            for number, pattern in enumerate(inside):
                written = pattern.pattern
                if isinstance(written, bytes):
                    written = written.decode("latin-1")
                key = f"{module.__name__}.{name}" + (f"[{number}]" if number else "")
                searches = not used.get(name) or not used[name] <= {"match", "fullmatch"}
                flags = pattern.flags & ~re.DEBUG
                if isinstance(pattern.pattern, bytes):
                    flags = flags & ~re.ASCII | re.ASCII
                if (written, flags) not in {
                    (each.written, each.flags) for each in found.values()
                } or searches:
                    found[key] = Known(key, written, flags, searches)
    return found


def _modules() -> Iterator[ModuleType]:
    for package in (gemserver, games):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not info.name.startswith(LEFT_OUT) and ".migrations" not in info.name:
                yield import_module(info.name)


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, Pattern | re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _inside(each)
    elif isinstance(value, dict):
        yield from _inside(list(value.values()))


def _methods(module: ModuleType) -> dict[str, set[str]]:
    """Name of a pattern → the methods that its module calls on it."""
    path = getattr(module, "__file__", None)
    used: dict[str, set[str]] = {}
    if path is None:
        return used
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            of = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            if isinstance(of, ast.Name):
                used.setdefault(of.id, set()).add(node.attr)
    return used
