"""`manage.py` where it cannot do anything: a sentence that says what to do, no traceback, and no secret."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.core import management
from django.db import OperationalError

from manage import main
from tests.services.site import ROOT

PRODUCTION = {"DATABASE_URL": "postgres://gem@127.0.0.1:1/gem", "REDIS_URL": "redis://127.0.0.1:1/0"}


def manage(*arguments: str, python: tuple[str, ...] = (), **variables: str) -> tuple[int, str]:
    """The exit status, and all that was said."""
    done = subprocess.run(
        [sys.executable, *python, "manage.py", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"HSTS_SECONDS": "x"}, "HSTS_SECONDS='x': write a whole number"),
        ({"DATABASE_URL": "postgres://gem:pa55/word@127.0.0.1/gem"}, "DATABASE_URL is no address"),
        ({"DATABASE_URL": "postgres://gem:pa55#word@127.0.0.1/gem"}, "write %2F for /"),
        ({"DATABASE_URL": "mysql://gem:pa55@127.0.0.1/gem"}, "must begin with postgres://"),
        ({"REDIS_URL": "redis://:pa55/word@127.0.0.1/0"}, "REDIS_URL is no address"),
    ],
)
def test_settings_that_cannot_be_used_are_told_in_a_sentence(variables: dict[str, str], words: str) -> None:
    for command in ("status", "check"):
        status, said = manage(command, **PRODUCTION | variables)
        assert status == 1
        assert words in said
        assert said.count("\n") == 1
        assert "pa55" not in said


def test_a_database_that_cannot_go_on_is_told_in_a_sentence_and_a_fault_of_ours_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(arguments: list[str]) -> None:
        raise OperationalError(
            "could not write: No space left on device\nHINT: Check free disk space."
        ) from cause

    monkeypatch.setattr(management, "execute_from_command_line", fail)
    cause: Exception = psycopg.errors.DiskFull()
    with pytest.raises(SystemExit) as told:
        main()
    assert told.value.code == (
        "The database does not do what it is asked: could not write: No space left on device. gemctl doctor says what "
        "to do."
    )
    cause = psycopg.errors.SyntaxError()
    with pytest.raises(OperationalError):
        main()


def test_a_missing_package_is_told_with_the_command_that_installs_it() -> None:
    for python in (("-S",), ("-I", "-S")):
        status, said = manage("status", python=python)
        assert status == 1
        assert said == "django is not installed here: python3 requirements/install.py requirements.txt\n"


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_data_of_somebody_else_are_told_in_a_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    status, said = manage("status", GEMSERVER_VAR=str(tmp_path))
    tmp_path.chmod(0o700)
    assert status == 1
    assert "run this as the user whose folder that is" in said
    assert "Traceback" not in said


def test_data_that_cannot_be_made_are_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, said = manage("status", GEMSERVER_VAR=str(tmp_path / "file" / "var"))
    assert status == 1
    assert "name a folder of your own as GEMSERVER_VAR" in said
    assert "Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize("program", ["manage.py", "-m gemserver.gemctl --settings /no/such/env"])
def test_whoever_reads_only_the_beginning_sees_no_error(tmp_path: Path, program: str) -> None:
    """As by `gemctl doctor | head -1`."""
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, *program.split(), "doctor"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "GEMSERVER_VAR": str(tmp_path)},
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write)
    os.close(read)
    _out, said = process.communicate()
    assert said == ""
    assert process.returncode == 1


@pytest.mark.slow
def test_an_embedded_server_without_tables_has_no_backup_and_says_how_to_go_on(tmp_path: Path) -> None:
    """`make play` was never run here."""
    var = {"GEMSERVER_VAR": str(tmp_path / "var")}
    for reason in ("unable to open database file", "no such table: "):
        status, said = manage("backup", str(tmp_path / "file"), **var)
        assert status == 1
        assert f"The database cannot be read ({reason}" in said
        assert "Traceback" not in said
        assert not list(tmp_path.glob("file*"))
        status, said = manage("doctor", **var)
    assert "make play, or manage.py migrate." in said
    assert "gemctl" not in said
    assert "no such table" in manage("status", **var)[1]
