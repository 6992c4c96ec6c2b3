"""The ten lines of docs/api.md make the first move at a running server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from gemserver.accounts.models import User
from gemserver.lib import clock
from tests.api.programs import token_of
from tests.builders import make_match

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db(transaction=True)
def test_ten_lines_lead_to_the_first_move(
    live_server: LiveServer, players: list[User], capsys: pytest.CaptureFixture[str]
) -> None:
    match = make_match(players=players, now=clock.now())
    asked = match.seats.get(is_waiting=True).user
    assert asked
    lines = re.findall(r"```python\n(.*?)```", (ROOT / "docs/api.md").read_text(), re.DOTALL)[0]
    assert len([line for line in lines.splitlines() if line]) == 10
    script = lines.replace("https://play.example.org", live_server.url).replace("gem_…", token_of(asked))
    exec(script, {})
    assert match.moves.count() == 1
    assert capsys.readouterr().out.strip()
