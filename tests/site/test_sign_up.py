"""Signing up with a code by mail."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.models import Invitation, Match
from gemserver.notify import delivery
from tests.builders import NOON, make_table, make_user
from tests.site.pages import Page, read

pytestmark = pytest.mark.django_db

DEE = {"email": "dee@example.org", "username": "dee"}
CODE_PAGE = "/accounts/confirm-email/"


@pytest.fixture(autouse=True)
def _no_earlier_visits() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def sign_up(client: Client, **given: str) -> Page:
    return read(client.post("/accounts/signup/", {**DEE, **given}, follow=True))


def new_mail() -> mail.EmailMultiAlternatives:
    """The only mail that has been queued since the last time."""
    mail.outbox.clear()
    delivery.send_queued()
    (message,) = mail.outbox
    assert isinstance(message, mail.EmailMultiAlternatives)
    return message


def mailed_code() -> str:
    found = re.search(r"^ +([A-Z]{4}-[A-Z]{4})$", str(new_mail().body), re.MULTILINE)
    assert found
    return found[1]


def give(client: Client, code: str) -> Any:
    return client.post(CODE_PAGE, {"code": code}, follow=True)


def test_whoever_wants_a_name_that_somebody_has_is_told_what_to_do() -> None:
    sign_up(Client())
    again = sign_up(Client(), email="other@example.org")
    assert "Somebody has this name already, or one that looks the same; choose another." in again.text


def test_on_ones_own_machine_the_code_is_looked_for_in_the_mail_room(settings: Settings) -> None:
    assert "Look in the folder for unwanted mail" in sign_up(Client()).text
    settings.EMBEDDED = True
    page = sign_up(Client(), username="eve", email="eve@example.org")
    assert "Look in the folder for unwanted mail" not in page.text
    assert "sends nothing: its mails lie in the mail room" in page.text


def test_who_gave_a_password_beside_a_name_that_is_refused_is_told_to_type_it_again() -> None:
    sign_up(Client())
    again = sign_up(Client(), email="other@example.org", password1="a gem of a word")
    assert "Type it once more, if you want it" in again.text
    assert "Type it once more" not in sign_up(Client(), email="other@example.org").text


def test_whoever_has_lost_the_browser_with_the_code_is_told_to_sign_in_and_can() -> None:
    sign_up(Client())
    other = Client()
    assert "If it is you, sign in: a code by mail is enough." in sign_up(other).text
    new_mail()
    other.post("/accounts/login/code/", {"email": DEE["email"]})
    page = read(other.post("/accounts/login/code/confirm/", {"code": mailed_code()}, follow=True))
    assert "Hello dee" in page.text
    assert User.objects.get().verified_addresses() == {DEE["email"]}


def test_one_mail_one_code_and_in() -> None:
    client = Client()
    page = sign_up(client)
    assert "We have written to dee@example.org." in page.text
    dee = User.objects.get()
    assert dee.verified_addresses() == frozenset()
    code = mailed_code()
    assert "Hello dee" in read(give(client, code.lower().replace("-", " "))).text
    assert dee.verified_addresses() == {"dee@example.org"}
    delivery.send_queued()
    assert len(mail.outbox) == 1


def test_who_gave_no_password_signs_in_by_code_ever_after() -> None:
    client = Client()
    sign_up(client)
    give(client, mailed_code())
    assert not User.objects.get().has_usable_password()
    later = Client()
    later.post("/accounts/login/code/", {"email": DEE["email"]})
    answer = later.post("/accounts/login/code/confirm/", {"code": mailed_code()}, follow=True)
    assert "Hello dee" in read(answer).text


def test_who_gave_a_password_signs_in_with_it() -> None:
    client = Client()
    sign_up(client, password1="a gem of a word")
    give(client, mailed_code())
    answer = Client().post("/accounts/login/", {"login": "dee", "password": "a gem of a word"}, follow=True)
    assert "Hello dee" in read(answer).text


def test_a_weak_password_is_refused_and_makes_no_account() -> None:
    assert "errorlist" in Client().post("/accounts/signup/", {**DEE, "password1": "dee"}).content.decode()
    assert not User.objects.exists()


def test_a_wrong_code_lets_nobody_in_and_three_end_it() -> None:
    client = Client()
    sign_up(client)
    code = mailed_code()
    for _ in range(2):
        assert "This is not the code of our newest mail." in read(give(client, "BBBB-BBBB")).text
    give(client, "BBBB-BBBB")
    give(client, code)
    assert "Hello" not in read(client.get("/")).text
    assert User.objects.get().verified_addresses() == frozenset()


def test_a_code_is_good_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    sign_up(client)
    code, asked_at = mailed_code(), time.time()
    monkeypatch.setattr("time.time", lambda: asked_at + timedelta(minutes=59).total_seconds())
    assert client.get(CODE_PAGE).status_code == 200
    monkeypatch.setattr("time.time", lambda: asked_at + timedelta(minutes=61).total_seconds())
    give(client, code)
    assert User.objects.get().verified_addresses() == frozenset()


def test_a_code_is_worth_nothing_in_another_browser() -> None:
    sign_up(Client())
    thief = Client()
    give(thief, mailed_code())
    assert "Hello" not in read(thief.get("/")).text


def test_a_new_code_takes_the_place_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    sign_up(client)
    first = mailed_code()
    cache.clear()  # ten seconds later
    client.post(CODE_PAGE, {"action": "resend"})
    second = mailed_code()
    give(client, first)
    assert User.objects.get().verified_addresses() == frozenset()
    assert "Hello dee" in read(give(client, second)).text


def test_a_mistyped_address_is_put_right_under_the_same_name() -> None:
    client = Client()
    sign_up(client, email="dee@exmaple.org")
    assert "Sign up" in read(client.post("/accounts/signup/again/", follow=True)).text
    new_mail()
    sign_up(client)
    assert "Hello dee" in read(give(client, mailed_code())).text
    assert User.objects.get().verified_addresses() == {"dee@example.org"}


def test_who_let_the_code_run_out_signs_up_again_with_the_same_name_and_address() -> None:
    client = Client()
    sign_up(client)
    new_mail()
    for _ in range(3):
        give(client, "BBBB-BBBB")
    cache.clear()
    assert "We have written to dee@example.org." in sign_up(client).text
    assert "Hello dee" in read(give(client, mailed_code())).text


def test_beginning_again_takes_nothing_from_who_is_a_player_by_now() -> None:
    client, other = Client(), Client()
    sign_up(client)
    new_mail()
    other.post("/accounts/login/code/", {"email": DEE["email"]})
    other.post("/accounts/login/code/confirm/", {"code": mailed_code()})
    client.post("/accounts/signup/again/")
    assert User.objects.get().verified_addresses() == {"dee@example.org"}


def test_an_invitation_goes_on_after_the_code() -> None:
    host = make_user("ana")
    table: Match = make_table("gem", seats=3, creator=host)
    invitation: Invitation = invite(table.pk, host, DEE["email"], now=NOON)
    client = Client()
    path = f"/invitations/{invitation.pk}/{invitation.token}/"
    delivery.send_queued()
    place = client.post(path, {"do": "accept"}).url
    client.post(place, {**DEE, "email": "dee@exmaple.org", "next": path})
    new_mail()
    again = client.post("/accounts/signup/again/")
    assert read(client.get(again.url)).fields["next"] == path
    client.post(again.url, {**DEE, "next": path})
    answer = give(client, mailed_code())
    assert answer.redirect_chain[-1][0] == path
    client.post(path, {"do": "accept"})
    assert table.seats.filter(user__username="dee").exists()


def without_what_is_typed(page: bytes) -> str:
    """The page without its CSRF token and without the address."""
    text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page.decode())
    return re.sub(r"(dee|ana)@example\.org", "ADDRESS", text)


def test_nothing_tells_whether_an_address_has_an_account() -> None:
    make_user("ana")
    shown: dict[str, list[str]] = {}
    for address in ("ana@example.org", "dee@example.org"):
        client = Client(REMOTE_ADDR=f"192.0.2.{len(shown)}")
        form = {"email": address, "username": f"new{len(shown)}", "next": "/tables/"}
        shown[address] = [
            str(client.post("/accounts/signup/", form).headers["Location"]),
            without_what_is_typed(client.get(CODE_PAGE).content),
            without_what_is_typed(give(client, "BBBB-BBBB").content),
            str(client.post(CODE_PAGE, {"action": "resend"}).status_code),
            without_what_is_typed(client.get(CODE_PAGE).content),
            str(client.post("/accounts/signup/again/").headers["Location"]),
        ]
        other = {**form, "email": f"other{len(shown)}@example.org"}
        again = client.post("/accounts/signup/", other, follow=True)
        shown[address].append(read(again).text.replace(other["email"], "ADDRESS"))
    known, unknown = shown.values()
    assert known == unknown
    assert "next=%2Ftables%2F" in known[-2]


def test_who_has_an_account_is_told_so_by_mail_alone() -> None:
    make_user("ana")
    client = Client()
    sign_up(client, email="ana@example.org")
    message = new_mail()
    assert message.subject == "You have an account already"
    assert "/accounts/login/code/" in str(message.body)
    assert not re.search(r"[A-Z]{4}-[A-Z]{4}", str(message.body))
    assert User.objects.count() == 1


def test_a_password_that_somebody_else_chose_opens_nothing() -> None:
    """Mallory signs up with Dee's address; Dee never saw that code, and signs in later with one of her own."""
    sign_up(Client(), username="mallory", password1="a gem of a word")
    new_mail()
    dee = Client()
    dee.post("/accounts/login/code/", {"email": DEE["email"]})
    dee.post("/accounts/login/code/confirm/", {"code": mailed_code()})
    assert "Hello mallory" in read(dee.get("/")).text
    mallory = Client()
    mallory.post("/accounts/login/", {"login": "mallory", "password": "a gem of a word"})
    assert "Hello" not in read(mallory.get("/")).text


def test_the_password_of_a_player_outlives_signing_in_by_code() -> None:
    client = Client()
    sign_up(client, password1="a gem of a word")
    give(client, mailed_code())
    cache.clear()
    later = Client()
    later.post("/accounts/login/code/", {"email": DEE["email"]})
    later.post("/accounts/login/code/confirm/", {"code": mailed_code()})
    assert User.objects.get().check_password("a gem of a word")


def test_the_mail_shows_the_code_and_nothing_that_somebody_else_has_chosen() -> None:
    client = Client(headers={"Accept-Language": "fr"})
    sign_up(client, username="www.example.com")
    message = new_mail()
    html = str(message.alternatives[0].content)
    for text in (str(message.body), html):
        assert "example.com" not in text
        assert re.search(r"[A-Z]{4}-[A-Z]{4}", text)
    assert '<html lang="fr">' in html
    assert not re.search(r"[A-Z]{4}-[A-Z]{4}", str(message.subject))


def test_a_mail_speaks_the_language_of_its_reader_and_not_of_who_asks_for_it() -> None:
    make_user("ana", language="fr")
    Client(headers={"Accept-Language": "en"}).post("/accounts/login/code/", {"email": "ana@example.org"})
    message = new_mail()
    assert message.subject == "Le code pour se connecter"
    assert '<html lang="fr">' in str(message.alternatives[0].content)


def test_language_and_zone_of_the_browser_are_kept() -> None:
    client = Client(headers={"Accept-Language": "fr-CH,fr;q=0.9"})
    sign_up(client, time_zone="Europe/Zurich")
    assert list(User.objects.values_list("language", "time_zone")) == [("fr", "Europe/Zurich")]


def test_a_zone_that_is_none_is_passed_over() -> None:
    sign_up(Client(), time_zone="../../etc/passwd")
    assert User.objects.get().time_zone == "UTC"


@pytest.mark.slow
def test_nobody_is_flooded_with_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most thirty in an hour, whoever asks, from anywhere, however patiently."""
    make_user("dee")
    begin = time.time()
    for number in range(32):
        monkeypatch.setattr("time.time", lambda number=number: begin + 60 * number)
        client = Client(REMOTE_ADDR=f"192.0.2.{number}")
        answer = client.post("/accounts/login/code/", {"email": DEE["email"]}, follow=True)
    assert "errorlist" in answer.content.decode()
    mail.outbox.clear()
    delivery.send_queued()
    assert len(mail.outbox) == 30


@pytest.mark.slow
def test_one_place_cannot_make_accounts_without_end() -> None:
    pages = []
    for number in range(12):
        client = Client(REMOTE_ADDR="192.0.2.7")
        form = {"email": f"dee{number}@example.org", "username": f"dee{number}"}
        pages.append(client.post("/accounts/signup/", form))
    assert pages[-1].status_code == 429
    assert "That was too often" in read(pages[-1]).text
    assert User.objects.count() == 10
