"""Resigning on the web: a link on the match page, a page for confirmation, and its button."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.matches.models import Match
from tests.builders import make_match, make_user

pytestmark = pytest.mark.django_db


def test_the_page_asks_and_only_the_button_resigns(client: Client) -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_match(players=[ana, ben])
    client.force_login(ana)
    page = f"/m/{match.code}/resign/"
    assert page in client.get(f"/m/{match.code}/").content.decode()
    asked = client.get(page).content.decode()
    assert "the other player wins" in asked
    assert Match.objects.get().is_running
    answer = client.post(page, follow=True).content.decode()
    assert "You have resigned" in answer
    assert Match.objects.get().ending == "resigned"
    assert client.post(page).status_code == 404, "it is over"


def test_the_end_says_who_has_resigned(client: Client) -> None:
    ana = make_user("ana")
    match = make_match(players=[ana, make_user("ben")])
    client.force_login(ana)
    client.post(f"/m/{match.code}/resign/")
    page = f"/m/{match.code}/"
    assert "You have resigned, and so the match has ended here." in client.get(page).content.decode()
    assert "ana has resigned, and so the match has ended here." in Client().get(page).content.decode()


def test_nobody_else_is_offered_it(client: Client) -> None:
    match = make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])
    page = f"/m/{match.code}/resign/"
    assert client.get(page).status_code == 302
    client.force_login(make_user("dee"))
    assert client.get(page).status_code == 404
    assert page not in client.get(f"/m/{match.code}/").content.decode()
    assert client.post(page).status_code == 404
    assert not match.moves.exists()
