"""The server's processes as units of systemd: which of them a machine runs. A site of several machines divides them."""

from __future__ import annotations

import subprocess
from pathlib import Path

UNITS = ("gem-thinker", "gem-worker", "gem-beat", "gem-mail", "gem-waiting", "gem-web")
"""In the order in which they restart: workers know every task before a new web process asks for it."""
SYSTEMD = Path("/run/systemd/system")


def is_used(unit: str) -> bool:
    """True if it is enabled or runs: a machine may do without some, and a restart would start them."""
    return _says_yes("is-enabled", unit) or is_active(unit)


def is_active(unit: str) -> bool:
    return _says_yes("is-active", unit)


def does_without(unit: str) -> bool:
    """True on a machine where systemd runs others of our units and not this one."""
    return SYSTEMD.exists() and not is_used(unit) and any(map(is_used, UNITS))


def _says_yes(question: str, unit: str) -> bool:
    try:
        return subprocess.run(["systemctl", question, "--quiet", unit], capture_output=True).returncode == 0
    except OSError:
        return False
