"""Pages of tutorials: everybody may try moves on the board, and nothing of it is kept."""

from __future__ import annotations

from gettext import NullTranslations
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import translation
from pytest_django import DjangoAssertNumQueries

from games import registry
from games.tutorial import judge
from gemserver.matches.models import Match
from tests.builders import make_user
from tests.site.lessons import right_move, taught, wrong_tries
from tests.site.pages import Page, read, read_main, signed_in

pytestmark = pytest.mark.django_db


def get(path: str, client: Client | None = None, **query: str) -> Page:
    response = (client or Client()).get(f"{path}?{urlencode(query)}" if query else path)
    assert response.status_code == 200, path
    return read_main(response)


@pytest.mark.slow
@pytest.mark.parametrize("slug", registry.GAMES)
def test_a_stranger_can_go_through_a_whole_tutorial(slug: str) -> None:
    tutorial = taught(slug)
    start = get(f"/games/{slug}/tutorial/")
    assert tutorial.welcome in start.text
    path = f"/games/{slug}/tutorial/{tutorial.steps[0].name}/"
    assert path in start.links
    for step in tutorial.steps:
        page = get(path)
        assert step.title in page.text
        assert step.task in page.text
        answer = get(path, text=right_move(step), play="1")
        assert step.why in answer.text
        assert tutorial.quote(step.rule) in answer.text
        if following := tutorial.after(step):
            path = f"/games/{slug}/tutorial/{following.name}/"
            assert path in answer.links
    assert tutorial.farewell in answer.text
    assert ("bot", "easy") in answer.buttons
    assert not Match.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("slug", registry.GAMES)
def test_a_wrong_try_is_answered_with_the_rule_and_stays_in_the_field(slug: str) -> None:
    tutorial = taught(slug)
    for step in tutorial.steps:
        for text, said in wrong_tries(step)[:2]:
            page = get(f"/games/{slug}/tutorial/{step.name}/", text=text, play="1")
            assert said.text in page.text, step.name
            assert f"§ {said.rule} {tutorial.quote(said.rule)}" in page.text
            assert f"/rules/{slug}/#rule-{said.rule}" in page.links
            assert page.fields["text"] == text
            judged = judge(step, text)
            if not judged.refusal:
                own = [event for event in judged.events if event.seat == step.seat]
                tr = NullTranslations()
                told = [step.game.words.describe(event, tr, step.names, step.seat) for event in own]
                assert any(sentence in page.text for sentence in told)
            assert step.why not in page.text


def test_a_wrong_pick_is_named_though_it_lies_face_down() -> None:
    page = get("/games/gemessengers/tutorial/row/", text="play amethyst row 1", play="1")
    assert "Your pick is: amethyst in row 1." in page.text
    assert "You have picked." not in page.text


def test_what_is_no_move_gets_the_sentence_of_the_game_at_its_field() -> None:
    page = get("/games/gem/tutorial/open/", text="bid many", play="1")
    assert page.text.count("“many” is no number. Write it in digits.") == 1
    assert page.fields["text"] == "bid many"
    [_lesson, field] = page.text.split("Your move")
    assert "“many” is no number." in field
    assert taught("gem").steps[0].text in page.text, "the lesson is not folded: nothing was tried"
    assert "§" not in page.text, "no paragraph of the rules says how to write"
    assert "There is no move yet." in get("/games/gem/tutorial/open/", text="", play="1").text


def test_a_move_is_built_without_javascript() -> None:
    path = "/games/gem/tutorial/take/"
    assert ("choose", "take SS") in get(path).buttons
    begun = get(path, choose="take SS")
    assert ("choose", "take SS pay 1") in begun.buttons
    done = get(path, choose="take SS pay 1")
    assert done.fields["text"] == "take SS pay 1"
    assert taught("gem").steps[1].why not in done.text


def test_the_board_goes_along_with_the_finished_steps_of_a_long_move() -> None:
    """Without that, the second tile of a turn in Gembatan could not be laid beside the first."""
    begun = get("/games/gembatan/tutorial/chain/", choose="play BPBP -1,0 E gem BG E")
    assert any(value.startswith("play BPBP -1,0 E gem BG E + play YP--") for _, value in begun.buttons)


def test_nonsense_in_the_address_changes_nothing() -> None:
    for query in (
        {"choose": "x" * 1000},
        {"text": "y" * 1000, "play": "1"},
        {"choose": "take"},
    ):
        assert get("/games/gem/tutorial/open/", **query).fields["text"] in {
            *query.values(),
            "x" * 500,
            "y" * 500,
        }


def test_moves_are_fetched_ahead_as_on_a_match() -> None:
    answer = Client().get("/games/gembatan/tutorial/tile/moves/?from=play+BPBP&prompt=0").json()
    assert any(text.startswith("play BPBP -1,0") for _, text, *_ in answer["nodes"])
    assert Client().get("/games/gem/tutorial/open/moves/?from=nonsense&prompt=0").status_code == 422


def test_a_step_or_game_that_is_not_there_is_not_found() -> None:
    for path in (
        "/games/chess/tutorial/",
        "/games/gem/tutorial/nowhere/",
        "/games/gem/tutorial/nowhere/board.svg",
    ):
        assert Client().get(path).status_code == 404, path


def test_the_tutorial_speaks_the_language_of_its_reader() -> None:
    page = Client().get("/games/gem/tutorial/open/", headers={"accept-language": "de"})
    with translation.override("de"):
        tutorial = taught("gem")
    assert tutorial.steps[0].task in read(page).text
    assert tutorial.language == "de"


def test_nothing_is_written_for_a_learner(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    client = Client()
    client.get("/games/gem/tutorial/open/")
    with django_assert_num_queries(0):
        response = client.get("/games/gem/tutorial/open/?text=bid+1&play=1")
    assert not response.cookies


def test_newcomers_find_the_tutorial() -> None:
    for path in ("/", "/rules/gem/", "/games/gem/", "/practice/gem/"):
        assert "/games/gem/tutorial/" in get(path).links, path
    assert "tutorial" in get("/", signed_in(make_user("ana"))).text


def test_the_rules_have_an_example_for_every_step_and_numbers_to_link_to() -> None:
    response = Client().get("/rules/gem/")
    for step in taught("gem").steps:
        assert f'src="/games/gem/tutorial/{step.name}/board.svg"' in response.content.decode()
        picture = Client().get(f"/games/gem/tutorial/{step.name}/board.svg")
        assert picture.status_code == 200
        assert picture["Content-Type"] == "image/svg+xml"
    assert all(f'<li id="rule-{number}">' in response.content.decode() for number in range(1, 27))
