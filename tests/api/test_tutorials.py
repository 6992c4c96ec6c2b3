"""Tutorials for programs: read with any token, tried without a key, and nothing is kept."""

from __future__ import annotations

import pytest

from games import registry
from gemserver.matches.models import Match
from tests.api.programs import Program, code_of
from tests.builders import make_user
from tests.site.lessons import right_move, taught, wrong_tries

pytestmark = pytest.mark.django_db


@pytest.fixture
def program() -> Program:
    return Program.of(make_user("ana"), "read")


@pytest.mark.slow
@pytest.mark.parametrize("slug", registry.GAMES)
def test_a_program_can_go_through_a_whole_tutorial(slug: str, program: Program) -> None:
    shown = program.get(f"games/{slug}/tutorial").json()
    name: str | None = shown["steps"][0]["name"]
    for number, step in enumerate(taught(slug).steps, start=1):
        position = program.get(f"games/{slug}/tutorial/{name}").json()
        assert (position["number"], position["count"]) == (number, len(shown["steps"]))
        assert (position["title"], position["task"]) == (step.title, step.task)
        assert len(position["moves"]) == step.ply
        assert position["board"]
        assert position["examples"]
        for text, said in wrong_tries(step)[:1]:
            wrong = program.post(f"games/{slug}/tutorial/{name}/try", {"text": text}).json()
            assert (wrong["right"], wrong["said"], wrong["rule"]) == (False, said.text, said.rule)
            assert (wrong["board"], wrong["next"]) == (None, None)
        answer = program.post(f"games/{slug}/tutorial/{name}/try", {"text": right_move(step)}).json()
        assert answer["right"] is True
        assert answer["said"] == step.why
        assert answer["board"] != position["board"]
        name = answer["next"]
    assert name is None
    assert not Match.objects.exists()


def test_a_refused_try_has_the_code_of_the_game(program: Program) -> None:
    answer = program.post("games/gem/tutorial/open/try", {"text": "bid 9"}).json()
    assert (answer["code"], answer["move"], answer["rule"]) == ("too-high", "bid 9", 12)
    assert answer["paragraph"].startswith("Nobody may bid more")
    answer = program.post("games/gem/tutorial/open/try", {"text": ""}).json()
    assert answer["code"] == "empty"


def test_it_speaks_the_language_of_the_account() -> None:
    eva = Program.of(make_user("eva", language="fr"), "read")
    assert eva.get("games/gem/tutorial").json()["language"] == "fr"
    answer = eva.post("games/gem/tutorial/open/try", {"text": "pass"}).json()
    assert answer["said"] == "L’Oya ne peut pas passer. Tous les autres le peuvent."


def test_what_is_not_there_is_said(program: Program) -> None:
    assert code_of(program.get("games/chess/tutorial")) == "no-such-game"
    assert code_of(program.get("games/gem/tutorial/nowhere")) == "no-such-tutorial-step"
    assert (
        code_of(program.post("games/gem/tutorial/nowhere/try", {"text": "bid 1"})) == "no-such-tutorial-step"
    )
    assert code_of(program.post("games/gem/tutorial/open/try", {"text": "x" * 501})) == "misfit"
