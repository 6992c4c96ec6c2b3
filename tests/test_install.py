"""Installing requirements for `make play` and `make test`."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def install(tmp_path: Path, monkeypatch) -> Iterator[ModuleType]:
    """The module in a folder of its own, without uv; it only records the commands it would run (`commands`)."""
    spec = importlib.util.spec_from_file_location("install", ROOT / "requirements" / "install.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    commands: list[list[str]] = []
    (tmp_path / "requirements.txt").write_text("django==5.2.19 --hash=…")
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(module, "run", lambda command, stdout=None: commands.append(command) or True)
    monkeypatch.setattr(module, "commands", commands, raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["install.py", str(tmp_path / "requirements.txt")])
    return module


def programs(install: ModuleType) -> list[str]:
    return [" ".join(command[1:4]) for command in install.commands if "install" in command]


def test_it_installs_by_hash_and_only_once(install: ModuleType) -> None:
    install.main()
    assert programs(install) == ["-m pip install"]
    assert "--require-hashes" in install.commands[-1]
    install.main()
    assert programs(install) == ["-m pip install"]


def test_a_changed_file_is_installed_anew(install: ModuleType) -> None:
    install.main()
    (install.ROOT / "requirements.txt").write_text("django==5.2.20 --hash=…")
    install.main()
    assert programs(install) == ["-m pip install"] * 2


def test_an_interrupted_installation_is_begun_again(install: ModuleType, monkeypatch) -> None:
    with monkeypatch.context() as interrupted:
        interrupted.setattr(install, "run", lambda command, stdout=None: False)
        with pytest.raises(SystemExit, match="Run the command again"):
            install.main()
    install.main()
    assert programs(install) == ["-m pip install"]


def test_uv_is_taken_when_there_is_one(install: ModuleType, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/uv")
    install.main()
    assert programs(install) == ["pip install --python"]


def test_pip_helps_out_when_uv_fails(install: ModuleType, monkeypatch) -> None:
    def run(command: list[str], stdout: int | None = None) -> bool:
        install.commands.append(command)
        return command[0] != "/bin/uv"

    monkeypatch.setattr(shutil, "which", lambda name: "/bin/uv")
    monkeypatch.setattr(install, "run", run)
    install.main()
    assert programs(install) == ["pip install --python", "-m pip install"]


def test_an_environment_whose_python_is_gone_is_made_again(install: ModuleType, monkeypatch) -> None:
    made = []
    monkeypatch.setattr(install, "PYTHON", install.ROOT / "gone")
    monkeypatch.setattr(install, "make_venv", lambda: made.append(True))
    install.main()
    assert made == [True]


def test_an_old_python_is_turned_away(install: ModuleType, monkeypatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"Python 3\.9 is too old; install Python 3\.11"):
        install.main()


def test_a_python_without_venv_is_turned_away(install: ModuleType, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="python3-venv"):
        install.main()
