"""Pages of rules, health and errors, and properties of every page."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.contrib.staticfiles import finders
from django.db import DatabaseError, connection
from django.template.loader import get_template
from django.test import Client
from PIL import Image
from pytest_django import Settings

from games import registry
from games.tutorial import read_tutorial
from gemserver.site.lists.rules_page import read_rules_page
from tests.builders import is_asked, make_match, make_user, play_until
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("slug", registry.GAMES)
def test_every_game_has_its_rules_page_and_templates(slug: str) -> None:
    meta = registry.GAMES[slug].rules.meta
    response = Client().get(f"/rules/{slug}/")
    page = read(response)
    assert response.status_code == 200
    assert meta.designer in page.text
    for part in meta.reconstructed:
        assert part.template in page.text
    assert b"<h2>" in response.content
    get_template(f"games/{slug}/move_form.html")
    match = make_match(slug, players=[make_user("ana"), make_user("ben")])
    assert f'class="board board-{slug}"' in Client().get(match.get_absolute_url()).content.decode()
    get_template(f"games/{slug}/emblem.svg")


PARTS_WITH_EXAMPLES = {
    "gem": ["Auctions", "Investments", "The end"],
    "jewellers": ["A round", "Silver (an option)", "The end"],
    "florentine": ["A turn from the hand", "A turn from the pool", "The black cards", "Rooms and points"],
    "gembatan": ["A turn", "Scoring"],
    "gemessengers": ["A round", "Gems", "Proclamations", "Finished pieces", "The count"],
}


@pytest.mark.parametrize("slug", PARTS_WITH_EXAMPLES)
def test_every_phase_in_the_rules_has_a_picture_beside_it(slug: str) -> None:
    parts = read_rules_page(slug).parts
    pictured = [re.findall("<h2>(.*)</h2>", part.html)[0] for part in parts if part.examples]
    assert pictured == PARTS_WITH_EXAMPLES[slug]
    page = Client().get(f"/rules/{slug}/").content.decode()
    for part in parts:
        for example in part.examples:
            picture = f"/games/{slug}/tutorial/{example.step.name}/board.svg"
            assert page.index(part.html[-40:]) < page.index(picture)
    tutorial = read_tutorial(registry.game(slug))
    assert tutorial
    assert page.count("/board.svg") == len(tutorial.steps), "each position stands there once"


def test_an_unknown_game_has_no_rules() -> None:
    assert Client().get("/rules/chess/").status_code == 404


def test_tables_in_the_rules_are_tables() -> None:
    assert b"<table>" in Client().get("/rules/gem/").content


def test_health_answers_in_plain_text() -> None:
    for path, answer in {"/healthz": "ok\n", "/readyz": "ready\n"}.items():
        response = Client().get(path)
        assert (response.status_code, response.content.decode()) == (200, answer)
        assert response["Content-Type"] == "text/plain"
        assert not response.cookies


def test_not_ready_without_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(connection, "cursor", fail)
    assert Client().get("/readyz").status_code == 503
    assert Client().get("/healthz").status_code == 200


def test_a_page_that_is_not_there_leads_on() -> None:
    response = Client().get("/nothing/")
    assert response.status_code == 404
    assert "/" in read(response).links


def test_a_broken_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(slug: str) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("gemserver.site.lists.lobby_views.read_rules_page", fail)
    response = Client(raise_request_exception=False).get("/rules/gem/")
    assert response.status_code == 500
    assert "Something broke on our side" in read(response).text


POST_ONLY = ["talk", "notes", "orders", "holiday", "sitter", "table", "rematch", "seats/0/take", "talk/tune"]


@pytest.mark.parametrize("name", POST_ONLY)
def test_the_address_of_a_button_shows_words_and_a_way_on(name: str) -> None:
    ana = make_user("ana")
    match = make_match(players=[ana], bots=1)
    response = signed_in(ana).get(f"{match.get_absolute_url()}{name}/")
    assert (response.status_code, response["Allow"]) == (405, "POST")
    page = read(response)
    assert "There is nothing to read at this address" in page.text
    assert match.get_absolute_url() in page.links


@pytest.mark.parametrize(
    "path", ["/you/unblock/", "/you/export/", "/mail/try-again/", "/accounts/signup/again/"]
)
def test_no_address_of_a_button_is_an_empty_page(path: str) -> None:
    response = signed_in(make_user("ana")).get(path)
    assert response.status_code == 405
    assert "There is nothing to read at this address" in read(response).text


def test_machines_are_told_what_to_leave_alone() -> None:
    response = Client().get("/robots.txt")
    text = b"".join(response).decode()
    assert response["Content-Type"].startswith("text/plain")
    assert {"Disallow: /m/*/", "Allow: /m/*/$", "Disallow: /accounts/"} <= set(text.splitlines())


def test_browsers_find_icons_and_what_they_need_to_install_the_site() -> None:
    assert Client().get("/favicon.ico").status_code == 200
    page = Client().get("/").content.decode()
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page
    told = Client(headers={"accept-language": "de"}).get("/manifest.webmanifest").json()
    assert (told["lang"], told["display"], told["start_url"]) == ("de", "standalone", "/")
    for icon in told["icons"]:
        file = finders.find(icon["src"].removeprefix("/static/"))
        assert file
        if icon["sizes"] != "any":
            with Image.open(str(file)) as picture:
                assert icon["sizes"] == "x".join(map(str, picture.size))


@pytest.mark.parametrize(
    "path",
    [
        "/m/M1/",
        "/m/M1/deal/",
        "/m/M1/ply/0/?log=all",
        "/m/M1/record.match",
        "/s/M1/?lang=de",
        "/s/M1/0/",
        "/s/M1/0.png",
        "/s/M1.png?lang=fr",
        "/s/M1.gif",
    ],
)
def test_a_code_in_small_letters_leads_to_the_one_in_capitals(path: str) -> None:
    match = make_match(players=[make_user("ana")], bots=1)
    path = path.replace("M1", match.code)
    response = Client().get(path.replace(match.code, match.code.lower()))
    assert (response.status_code, response.url) == (308, path)


def test_a_code_in_small_letters_leads_to_pages_and_to_nowhere_else() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    assert Client().get(f"/m/{match.code.lower()}", follow=True).status_code == 200
    assert Client().get(f"/s/{match.code.lower()}", follow=True).status_code == 200
    assert Client().get(f"/s/{match.code.lower()}.png", follow=True)["Content-Type"] == "image/png"
    for path in ("/m/m999999/", "/s/m999999/", "/s/m999999.png"):
        assert Client().get(path, follow=True).status_code == 404
    assert Client().get("/s/m1/%2F%2Fexample.org%3Fa").url == "/s/M1///example.org%3Fa"


def pages_of_every_kind(settings: Settings) -> list[tuple[Client, str]]:
    settings.EMBEDDED = True
    ana = make_user("ana")
    code = play_until(make_match(players=[ana], bots=2), is_asked(ana)).code
    stranger, player = Client(), signed_in(ana)
    open_to_all = [
        "/",
        f"/m/{code}/",
        f"/m/{code}/ply/2/",
        f"/m/{code}/deal/",
        "/rules/gem/",
        "/nothing/",
        "/mail-room/",
    ]
    entrance = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
    own = ["/accounts/email/", "/accounts/password/change/", "/accounts/logout/", "/mail-room/new/"]
    return [(stranger, path) for path in open_to_all + entrance] + [
        (player, path) for path in open_to_all + own
    ]


@pytest.mark.slow
def test_no_page_has_inline_script_or_style(settings: Settings) -> None:
    for client, path in pages_of_every_kind(settings):
        response = client.get(path)
        page = read(response)
        assert page.inline == [], path
        assert "script-src 'self'; style-src 'self'" in response["Content-Security-Policy"], path
        assert '<main id="main"' in response.content.decode(), path
        assert response.content.decode().count("<h1") == 1, path


def weigh(html: str) -> int:
    """Bytes of a page and of the files it names, uncompressed, without the pictures of boards."""
    without_board = re.sub(r'<figure class="board.*?</figure>', "", html, flags=re.DOTALL)
    names = {unquote(name) for name in re.findall(r'(?:src|href)="/static/([^"]+)"', without_board)}
    files = [finders.find(name) for name in names]
    return len(without_board.encode()) + sum(Path(str(file)).stat().st_size for file in files)


@pytest.mark.slow
def test_pages_are_light(settings: Settings) -> None:
    weights = {
        path: weigh(client.get(path).content.decode()) for client, path in pages_of_every_kind(settings)
    }
    assert "css/site.css" in Client().get("/").content.decode()
    assert min(weights.values()) > 20_000, "the style sheet is on every page"
    assert max(weights.values()) <= 160_000, weights


@pytest.mark.parametrize("path", ["/", "/rules/gem/", "/m/M1/", "/m/M1/progress/", "/healthz"])
def test_reading_pages_take_no_other_method(path: str) -> None:
    make_match(players=[make_user("ana")], bots=1)
    assert Client().delete(path).status_code == 405
