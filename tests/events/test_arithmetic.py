"""The arithmetic of events is a library: its examples hold, and it needs no Django."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

from gemserver.events import arithmetic

MODULES = [module.name for module in pkgutil.iter_modules(arithmetic.__path__, f"{arithmetic.__name__}.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_it_needs_no_django() -> None:
    imports = "; ".join(f"import {name}" for name in MODULES)
    check = f"import sys; {imports}; assert not [one for one in sys.modules if one.split('.')[0] == 'django']"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
