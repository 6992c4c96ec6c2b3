"""Every worked example is sent as it stands, in order, to a server where M17 waits for its reader."""

from __future__ import annotations

import json
import re
import shlex
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.api.document import document
from gemserver.api.examples import EXAMPLES
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.api.programs import token_of
from tests.builders import make_match

pytestmark = pytest.mark.django_db

SITE = "https://play.example.org"


def run(command: str, token: str) -> Any:
    """Send what `curl` would send."""
    words = shlex.split(command.replace("\\\n", " ").replace("$TOKEN", token))
    headers, body, path, method = {}, None, "", "get"
    rest = iter(words[1:])
    for word in rest:
        match word:
            case "-H":
                name, _, value = next(rest).partition(": ")
                headers[name] = value
            case "-d":
                body, method = next(rest), "post"
            case "-X":
                method = next(rest).lower()
            case _:
                path = word.removeprefix(SITE)
    if method == "get":
        return Client().get(path, headers=headers)
    return Client().post(path, body or b"", content_type="application/json", headers=headers)


def test_every_example_does_what_it_says(players: list[User]) -> None:
    match = make_match(players=players, server_part="7" * 64, now=clock.now())
    Match.objects.filter(pk=match.pk).update(code="M17")
    asked = match.seats.get(is_waiting=True).user
    assert asked
    token = token_of(asked)
    today = date.today()
    answers = {}
    for example in EXAMPLES:
        command = example.curl(SITE)
        for number, day in enumerate(("2026-04-01", "2026-04-05")):
            command = command.replace(day, str(today + timedelta(days=10 + number)))
        answer = run(command, token)
        assert answer.status_code == 200, (command, answer.content)
        answers[example.about] = json.loads(answer.content)
    assert match.moves.get(ply=1).text == "bid 1"
    assert match.plans.exists()
    assert match.messages.get().text == "Good luck!"
    assert asked.vacations.exists()
    assert Match.objects.filter(created_by=asked).count() == 1
    assert len(answers) == len(EXAMPLES) >= 12


def test_the_guide_names_every_address_once_and_marks_code_as_code() -> None:
    page = Client().get("/api/").content.decode()
    main = page[page.index("<main") : page.index("</main>")]
    assert "`" not in main
    for path, methods in document()["paths"].items():
        for method in methods:
            assert main.count(f"<code>{method.upper()} {path}</code>") == 1
    listed = re.findall(r'<li><a href="([^"#]+)"', main)
    assert len(listed) == len(set(listed))
