"""A checkout to upgrade."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemserver.gemctl import __main__ as gemctl
from gemserver.gemctl import installed, upgrade
from tests.operating.checkouts import Site


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    found = Site(tmp_path)
    server = installed.Server
    monkeypatch.setattr(gemctl, "Server", lambda path: server(path, root=found.root))
    monkeypatch.setattr(upgrade, "is_ready", lambda _server: True)
    monkeypatch.setattr(upgrade, "READY_WITHIN", 0)
    return found
