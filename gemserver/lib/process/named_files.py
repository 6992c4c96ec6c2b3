"""Files that somebody names on a command line: they lie where somebody is, and commands run where the code is."""

from __future__ import annotations

import os
from pathlib import Path

CALLED_FROM = "GEM_CALLED_FROM"
"""The variable by which `gemctl` tells a command the folder from which it was called."""


def named_file(name: str) -> Path:
    """The path of a file that was named to `gemctl`, or to `manage.py` itself."""
    return Path(os.environ.get(CALLED_FROM, ""), name)


def say_where() -> dict[str, str]:
    """The variable for a command that runs in another folder; none where the present one has been deleted."""
    try:
        return {CALLED_FROM: os.getcwd()}
    except FileNotFoundError:
        return {}
