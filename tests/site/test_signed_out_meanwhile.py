"""Whoever was signed out before they sent a form gets back what they typed, and sends it again."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from gemserver.accounts.models import User
from gemserver.lib.web.sent_form import MOST_KEPT
from gemserver.matches.models import ChatMessage, Match
from tests.builders import make_match, make_user
from tests.site.pages import Page, read_main

pytestmark = pytest.mark.django_db

ORIGIN = "http://testserver"


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return make_match(players=[ana, ben])


@pytest.fixture
def browser(ana: User) -> Client:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ana)
    return browser


def send(browser: Client, path: str, fields: dict[str, str], origin: str = ORIGIN) -> Any:
    return browser.post(path, fields, headers={"origin": origin})


def typed(browser: Client, match: Match, **fields: str) -> dict[str, str]:
    """The fields of the form for talk, as the page of the match shows it now, with these typed."""
    token = read_main(browser.get(match.get_absolute_url())).fields["csrfmiddlewaretoken"]
    return {"csrfmiddlewaretoken": token, "request_id": "r1", **fields}


def given_back(response: Any) -> Page:
    """The page with the form, which nothing keeps: whoever uses the browser next does not find the words in it."""
    assert response.status_code == 403
    assert response["Cache-Control"] == "no-store"
    return read_main(response)


def test_words_come_back_and_are_sent_after_signing_in(browser: Client, match: Match, ana: User) -> None:
    talk = f"{match.get_absolute_url()}talk/"
    fields = typed(browser, match, said="Well played, Ben")
    Session.objects.all().delete()
    page = given_back(send(browser, talk, fields))
    assert page.fields["said"] == "Well played, Ben"
    assert "So nothing has changed yet." in page.text
    assert not ChatMessage.objects.exists()
    browser.force_login(ana)
    assert send(browser, talk, page.fields).status_code == 302
    assert ChatMessage.objects.get().text == "Well played, Ben"


def test_lines_come_back_as_they_were(browser: Client, match: Match) -> None:
    fields = typed(browser, match, said="\none <b>\n two")
    Session.objects.all().delete()
    response = send(browser, f"{match.get_absolute_url()}talk/", fields)
    assert '<textarea name="said" rows="6"' in response.content.decode()
    assert ">\n\none &lt;b&gt;\n two</textarea>" in response.content.decode()


def test_a_page_that_was_open_while_its_reader_signed_in_loses_nothing(browser: Client, match: Match) -> None:
    talk = f"{match.get_absolute_url()}talk/"
    page = given_back(
        send(browser, talk, typed(browser, match, said="Well played") | {"csrfmiddlewaretoken": "a" * 64})
    )
    assert send(browser, talk, page.fields).status_code == 302
    assert ChatMessage.objects.get().text == "Well played"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
def test_a_form_of_another_site_is_not_put_on_a_page_of_ours(
    browser: Client, match: Match, origin: str
) -> None:
    response = send(browser, f"{match.get_absolute_url()}talk/", {"said": "I resign, Ben"}, origin)
    assert "I resign" not in given_back(response).text + response.content.decode()


def test_what_moderators_write_comes_back_too(match: Match) -> None:
    browser = Client()
    browser.force_login(make_user("mod", is_staff=True, is_superuser=True))
    path = "/admin/matches/match/"
    assert browser.get(path).status_code == 200
    Session.objects.all().delete()
    assert given_back(browser.post(path, {"note": "shall not be lost"})).fields["note"] == "shall not be lost"


@pytest.mark.parametrize("fields", [{}, {"do": "leave"}, {"said": "word " * MOST_KEPT}])
def test_without_words_to_keep_the_sign_in_follows(
    browser: Client, match: Match, fields: dict[str, str]
) -> None:
    sent = typed(browser, match, **fields)
    Session.objects.all().delete()
    assert send(browser, f"{match.get_absolute_url()}talk/", sent).url.startswith("/accounts/login/")


def test_no_password_comes_back(browser: Client, match: Match) -> None:
    sent = typed(browser, match, said="two words", oldpassword="quite a secret")
    Session.objects.all().delete()
    response = send(browser, f"{match.get_absolute_url()}talk/", sent)
    assert "quite a secret" not in response.content.decode()
