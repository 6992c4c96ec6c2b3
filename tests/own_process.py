"""Runs Python in a process of its own, with the server's real settings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCTION = {"SECRET_KEY": "x" * 50, "REDIS_URL": "redis://127.0.0.1:1/0"}
TEST = {"GEMSERVER_MODE": "test"}


def print_of(code: str, environment: dict[str, str]) -> str:
    """Run the code and return its output; `environment` is PRODUCTION or TEST. Raises CalledProcessError."""
    given = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "gemserver.settings", **environment}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=True).stdout
