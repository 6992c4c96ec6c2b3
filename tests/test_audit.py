"""`requirements/audit.py` with canned answers of pip-audit, because tests may not depend on the network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOUND = {"name": "django", "version": "5.2.19", "vulns": []}
UNKNOWN = {
    "name": "celery",
    "skip_reason": "Dependency not found on PyPI and could not be audited: celery (5.7.0)",
}
WEAK = {
    "name": "pillow",
    "version": "9.0.0",
    "vulns": [{"id": "PYSEC-2022-10", "fix_versions": ["9.0.1"], "aliases": [], "description": "…"}],
}


def audit(tmp_path: Path, answer: str, *arguments: str) -> tuple[int, str]:
    """Run the audit with this answer of pip-audit; return exit status and output."""
    (tmp_path / "pip_audit.py").write_text(f"print({answer!r})\n")
    done = subprocess.run(
        [sys.executable, str(ROOT / "requirements/audit.py"), "requirements.txt", *arguments],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_known_weakness_fails_and_is_named(tmp_path: Path) -> None:
    status, said = audit(tmp_path, json.dumps({"dependencies": [SOUND, WEAK], "fixes": []}))
    assert status == 1
    assert "pillow 9.0.0: PYSEC-2022-10; fixed in 9.0.1" in said


def test_none_passes_and_what_could_not_be_looked_up_is_said(tmp_path: Path) -> None:
    status, said = audit(tmp_path, json.dumps({"dependencies": [SOUND, UNKNOWN], "fixes": []}))
    assert (status, "no known weakness in 1 packages; 1 could not be looked up" in said) == (0, True)


@pytest.mark.parametrize(
    "answer", ["", "ConnectionError", json.dumps({"dependencies": [UNKNOWN], "fixes": []})]
)
def test_a_service_that_is_away_is_said_and_is_no_weakness(tmp_path: Path, answer: str) -> None:
    status, said = audit(tmp_path, answer)
    assert (status, "NOT AUDITED" in said) == (0, True)
    assert audit(tmp_path, answer, "--strict")[0] == 1


def test_every_locked_file_is_audited() -> None:
    makefile = (ROOT / "Makefile").read_text()
    [line] = [line for line in makefile.splitlines() if line.startswith("AUDIT := ")]
    locked = {
        str(path.relative_to(ROOT))
        for path in [*ROOT.glob("requirements*.txt"), *ROOT.glob("requirements/*.txt")]
    }
    assert set(line.split()[3:]) == locked
