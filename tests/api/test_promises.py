"""Promises to programs are kept: the API's document may only be extended (docs/api.md, What stays)."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from gemserver.api.document import document
from tests.api.promises import FILE, find_broken, read_promise

TURNS, MOVE = "/api/v1/turns", "/api/v1/matches/{code}/move"


def test_nothing_that_programs_rely_on_is_gone_or_changed() -> None:
    """If it fails, add the new beside the old; see docs/api.md for how long the old one stays."""
    assert list(find_broken(json.loads(FILE.read_text()), read_promise(document()))) == []


def test_what_was_added_is_promised_too() -> None:
    """Run `.venv/bin/python -m tests.api.promises`, and commit the file with what has added something."""
    assert json.loads(FILE.read_text()) == read_promise(document())


def _drop_address(made: dict[str, Any]) -> None:
    del made["paths"][TURNS]


def _drop_member(made: dict[str, Any]) -> None:
    del made["components"]["schemas"]["Turn"]["properties"]["seat"]


def _say_null(made: dict[str, Any]) -> None:
    made["components"]["schemas"]["Turn"]["properties"]["seat"] = {
        "anyOf": [{"type": "string"}, {"type": "null"}]
    }


def _leave_out(made: dict[str, Any]) -> None:
    made["components"]["schemas"]["Turn"]["required"].remove("seat")


def _want_more(made: dict[str, Any]) -> None:
    made["components"]["schemas"]["MoveSent"]["properties"]["mood"] = {"type": "string"}
    made["components"]["schemas"]["MoveSent"]["required"].append("mood")


def _take_less(made: dict[str, Any]) -> None:
    made["components"]["schemas"]["TableSent"]["properties"]["absence"]["enum"].remove("replace")


def _ask_for_another_scope(made: dict[str, Any]) -> None:
    made["paths"][MOVE]["post"]["security"] = [{"Token": ["account"]}]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop_address, "is gone"),
        (_drop_member, "answers no .turns[].seat any more"),
        (_say_null, "answers ['null'] as .turns[].seat"),
        (_leave_out, "may leave .turns[].seat out"),
        (_want_more, "now wants body.mood"),
        (_take_less, "refuses ['=replace'] as body.absence"),
        (_ask_for_another_scope, "takes another scope"),
    ],
)
def test_each_kind_of_broken_promise_is_noticed(change: Any, told: str) -> None:
    made = deepcopy(document())
    change(made)
    assert any(told in each for each in find_broken(read_promise(document()), read_promise(made)))
