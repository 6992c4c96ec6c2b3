"""Pages of errors: each in the reader's language, with what was typed where that may be, and without a database."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.utils import translation

from gemserver.lib.web.busy import busy, failed
from tests.builders import make_user
from tests.site.pages import read, read_main, signed_in

LANGUAGES = [code for code, _ in settings.LANGUAGES]
BROKEN = {"en": "Something broke", "de": "schiefgegangen", "fr": "Une erreur s’est produite"}
BUSY = {"en": "The server is busy", "de": "arbeitet gerade daran", "fr": "Le serveur est occupé"}
ELSEWHERE = {
    "en": "This site has another address",
    "de": "eine andere Adresse",
    "fr": "Ce site a une autre adresse",
}
UNREADABLE = {"en": "could not be read", "de": "Das war nicht zu lesen", "fr": "n’a pas pu être lu"}
TYPED = {"text": "Well played, Ben", "request_key": "k" * 20}


def post(origin: str = "http://testserver") -> Any:
    return RequestFactory().post("/m/M1/talk/", TYPED, headers={"Origin": origin})


def break_home(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("gemserver.site.lists.lobby_views.HomePage", fail)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("answer", "words"), [(failed, BROKEN), (busy, BUSY)])
def test_what_fails_gives_back_what_was_typed_without_a_database(
    answer: Any, words: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OperationalError("there is no database")

    monkeypatch.setattr(connection, "ensure_connection", refuse)
    monkeypatch.setattr(connection, "cursor", refuse)
    with translation.override(language):
        page = read_main(answer(post()))
    assert words[language] in page.text
    assert {name: page.fields[name] for name in TYPED} == TYPED
    assert page.buttons, "it can be sent again"


@pytest.mark.parametrize("answer", [failed, busy])
def test_what_another_site_has_put_together_is_not_given_back(answer: Any) -> None:
    page = read_main(answer(post(origin="https://evil.example")))
    assert (page.fields, page.buttons) == ({}, [])
    assert TYPED["text"] not in page.text


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_that_failed_asks_no_reader_to_sign_in_who_has_done_so(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(make_user("ana", language=language))
    client.raise_request_exception = False
    break_home(monkeypatch, RuntimeError("broken"))
    answer = client.get("/")
    assert answer.status_code == 500
    assert BROKEN[language] in read(answer).text
    assert "/accounts/login/" not in read(answer).links
    unreadable = client.get("/?q=%00", headers={"Accept-Language": language})
    assert unreadable.status_code == 400
    assert UNREADABLE[language] in read(unreadable).text
    assert "/accounts/login/" not in read(unreadable).links


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_comes_by_another_name_is_led_to_the_address_of_the_site(language: str) -> None:
    answer = Client(headers={"Host": "192.0.2.7", "Accept-Language": language}).get("/tables/")
    assert answer.status_code == 400
    assert ELSEWHERE[language] in read(answer).text
    assert f"{settings.SITE_URL}/" in read(answer).links
