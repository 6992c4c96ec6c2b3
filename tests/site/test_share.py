"""Matches shown to others: pages for frames, pictures, previews of links. They know nobody's session."""

from __future__ import annotations

import io
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from gemserver.accounts.models import User
from gemserver.matches.boards import board, painting
from gemserver.matches.models import Match
from gemserver.site.share import shared_match
from tests.builders import make_match, make_table, make_user, play_to_the_end, play_until
from tests.clubs.people import make_club, play_in
from tests.quick import first
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

GAMES = ("florentine", "gem", "gembatan", "gemessengers", "jewellers")


@pytest.fixture(autouse=True)
def without_kept_loops() -> None:
    shared_match._paint_loop.cache_clear()


@pytest.fixture
def players() -> list[User]:
    return [make_user("ana"), make_user("ben")]


@pytest.fixture
def running(players: list[User]) -> Match:
    return play_until(make_match(players=players), lambda reached: reached.ply >= 6)


@pytest.fixture
def over(running: Match) -> Match:
    return play_to_the_end(running)


def paths(match: Match) -> list[str]:
    return [f"/s/{match.code}/", f"/s/{match.code}/3/", f"/s/{match.code}/3.png", f"/s/{match.code}.gif"]


@pytest.mark.slow
@pytest.mark.parametrize("game", first(1, GAMES))
def test_pictures_are_pictures_of_every_game(game: str, players: list[User]) -> None:
    match = play_to_the_end(make_match(game, players=players))
    still = Client().get(f"/s/{match.code}/{match.ply}.png")
    assert still["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(still.content)).width == 720
    moving = Image.open(io.BytesIO(Client().get(f"/s/{match.code}.gif").content))
    assert moving.format == "GIF"
    assert 2 <= getattr(moving, "n_frames", 1) <= shared_match.MOST_FRAMES
    assert moving.info["loop"] == 0


def test_everybody_gets_the_bytes_of_a_stranger_and_no_cookie(running: Match, players: list[User]) -> None:
    for path in [f"/s/{running.code}/", f"/s/{running.code}/{running.ply}/", f"/s/{running.code}/3.png"]:
        answers = [client.get(path) for client in (Client(), *map(signed_in, players))]
        assert [answer.status_code for answer in answers] == [200] * 3, path
        assert len({answer.content for answer in answers}) == 1, path
        for answer in answers:
            assert not answer.cookies, path
            assert "Cookie" not in answer.get("Vary", ""), path
            assert answer["Cache-Control"] in ("max-age=300, public", "public, max-age=300")


def test_only_the_page_may_be_framed_and_it_has_neither_forms_nor_scripts(over: Match) -> None:
    page = Client().get(f"/s/{over.code}/")
    assert "frame-ancestors *" in page["Content-Security-Policy"]
    assert "X-Frame-Options" not in page
    assert not re.search(rb"<(form|script|input|button)\b", page.content)
    match_page = Client().get(f"/m/{over.code}/")
    assert "frame-ancestors 'none'" in match_page["Content-Security-Policy"]
    assert match_page["X-Frame-Options"] == "DENY"


def test_a_frame_for_a_match_that_is_not_shown_says_so(running: Match) -> None:
    """The usual page for 404 may be shown in no frame, so that the reader of the other site would see nothing."""
    Match.objects.filter(pk=running.pk).update(access=Match.Access.INVITED)
    for code in (running.code, "M999999"):
        nothing = Client().get(f"/s/{code}/?lang=de")
        assert nothing.status_code == 404
        assert "frame-ancestors *" in nothing["Content-Security-Policy"]
        assert "X-Frame-Options" not in nothing
        assert not nothing.cookies
        assert "Hier ist nichts" in nothing.content.decode()


def test_the_page_steps_through_the_match_in_its_language(over: Match) -> None:
    answer = Client().get(f"/s/{over.code}/3/?lang=de")
    assert answer["Content-Language"] == "de"
    page = read(answer)
    assert {f"/s/{over.code}/{ply}/?lang=de" for ply in (0, 2, 4, over.ply)} <= set(page.links)
    assert "Später" in page.text
    assert "Later" in read(Client().get(f"/s/{over.code}/3/?lang=xx")).text


def test_a_running_match_has_no_looping_picture(running: Match) -> None:
    assert Client().get(f"/s/{running.code}.gif").status_code == 404
    assert Client().get(f"/s/{running.code}/{running.ply + 1}/").status_code == 404


@pytest.mark.slow
def test_private_and_unlisted_matches_are_not_shown_to_anybody(players: list[User]) -> None:
    friends = play_to_the_end(make_match(players=players))
    Match.objects.filter(pk=friends.pk).update(access=Match.Access.INVITED)
    club = play_to_the_end(play_in(make_club("Kellerkinder", *players), *players))
    table = make_table(seats=2)
    for match in (friends, club, table):
        for client in (Client(), *map(signed_in, players)):
            for path in paths(match):
                assert client.get(path).status_code == 404, (match, path)
    page = signed_in(players[0]).get(f"/m/{friends.code}/").content.decode()
    assert "/s/" not in page
    assert "og:image" not in page


def test_links_to_a_match_have_a_preview(running: Match) -> None:
    for path, picture in ((f"/m/{running.code}/", ".png"), (f"/m/{running.code}/ply/2/", "/2.png")):
        page = Client().get(path).content.decode()
        found = re.search(r'<meta property="og:image" content="https?://[^/"]+([^"]*)"', page)
        assert found, path
        assert found[1] == f"/s/{running.code}{picture}?lang=en"
        assert Client().get(unescape(found[1])).status_code == 200


def test_the_preview_of_a_finished_match_has_its_result(over: Match) -> None:
    page = Client().get(f"/m/{over.code}/").content.decode()
    said = re.search(r'<meta property="og:description" content="([^"]*)"', page)
    best = over.seats.filter(rank=1).order_by("index")[0]
    assert said
    assert said[1].startswith(f"{best.name} {best.score}")
    assert all(seat.name in said[1] for seat in over.seats.all())


def test_the_page_of_a_finished_match_offers_what_can_be_shared(over: Match, players: list[User]) -> None:
    page = signed_in(players[0]).get(f"/m/{over.code}/").content.decode()
    for part in (f"/s/{over.code}.gif?lang=en", f"/s/{over.code}.png?lang=en", "&lt;iframe src="):
        assert part in page


@pytest.mark.slow
def test_a_second_looping_picture_waits_until_the_first_is_drawn(over: Match) -> None:
    with shared_match._one_loop_at_a_time:
        busy = Client().get(f"/s/{over.code}.gif")
    assert (busy.status_code, busy["Retry-After"], busy["Cache-Control"]) == (503, "5", "no-store")
    drawn = Client().get(f"/s/{over.code}.gif")
    assert drawn.status_code == 200
    assert "max-age=300" in drawn["Cache-Control"]


@pytest.mark.slow
def test_a_name_that_changes_changes_the_looping_picture(over: Match, players: list[User]) -> None:
    before = Client().get(f"/s/{over.code}.gif").content
    players[0].username = "Anabel"
    players[0].save()
    assert Client().get(f"/s/{over.code}.gif").content != before


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The drawings that are painted from now on."""
    found: list[str] = []
    paint = painting.paint

    def note(drawing: str, **how: Any) -> bytes:
        found.append(drawing)
        return paint(drawing, **how)

    board.wide_png.cache_clear()
    monkeypatch.setattr(painting, "paint", note)
    return found


def test_whoever_has_the_picture_is_told_so_and_nothing_is_painted(
    running: Match, painted: list[str]
) -> None:
    path = f"/s/{running.code}/3.png"
    tag = Client().get(path)["ETag"]
    painted.clear()
    board.wide_png.cache_clear()
    for asked in (tag, f'"another", W/{tag}', "*"):
        answer = Client().get(path, headers={"If-None-Match": asked})
        assert (answer.status_code, answer.content) == (304, b"")
        assert "max-age=300" in answer["Cache-Control"]
    assert painted == []


def test_a_picture_that_many_ask_for_is_painted_once(running: Match, painted: list[str]) -> None:
    answers = {Client().get(f"/s/{running.code}/3.png?lang={lang}").content for lang in ("en", "en", "en")}
    assert (len(answers), len(painted)) == (1, 1)
    Client().head(f"/s/{running.code}/3.png?lang=en")
    assert len(painted) == 1
    Client().get(f"/s/{running.code}/4.png?lang=en")
    assert len(painted) == 2


@pytest.mark.slow
def test_a_name_that_changes_changes_the_picture(over: Match, players: list[User]) -> None:
    before = Client().get(f"/s/{over.code}.png")
    players[0].username = "Anabel"
    players[0].save()
    after = Client().get(f"/s/{over.code}.png", headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert after.content != before.content
