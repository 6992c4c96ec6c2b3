"""Passkeys: another way in, which its owner adds and takes away, and which lets in nobody else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.db import connection
from django.test import Client
from pytest_django import Settings

from gemserver.accounts.bans import ban_user, lift
from gemserver.accounts.guests import become_guest
from gemserver.accounts.models import Ban, User
from gemserver.inbox import erasure
from gemserver.lib import clock
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.site.account import entrance, export, passkey_answers
from tests.builders import make_user
from tests.quick import first
from tests.site.device import PRESENT, Device
from tests.site.pages import read

pytestmark = pytest.mark.django_db

LIST, NEW, REMOVE, ENTER = (
    "/you/passkeys/",
    "/you/passkeys/new/",
    "/you/passkeys/remove/",
    "/accounts/passkey/",
)
UNKNOWN = "This passkey is not known here."
NOT_ADDED = "This passkey could not be added."


@pytest.fixture(autouse=True)
def _no_earlier_attempts() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def browser() -> Client:
    """A browser on the site's own host, to which passkeys belong."""
    return Client(HTTP_HOST="localhost:8000")


def by_password(user: User) -> Client:
    client = browser()
    client.post("/accounts/login/", {"login": user.username, "password": "password"})
    return client


def is_in(client: Client) -> bool:
    return client.get("/you/").status_code == 200


def options(client: Client, page: str = ENTER) -> dict[str, Any]:
    answer = client.post(page)
    assert answer.status_code == 200, answer
    given: dict[str, Any] = json.loads(answer.content)
    return given


def give_passkey(user: User, name: str = "laptop") -> Device:
    """A device that has a passkey for this account, added at the page."""
    device, client = Device(), by_password(user)
    answer = client.post(NEW, {"name": name, "credential": device.make(options(client, NEW))})
    assert answer.status_code == 302, read(answer).text
    return device


def enter(device: Device, client: Client | None = None, **form: str) -> Any:
    client = client or browser()
    return client.post(ENTER, {"credential": device.prove(options(client)), **form})


def mails_to(user: User) -> list[str]:
    rows = OutboxMessage.objects.filter(kind="account", to=user.email).order_by("pk")
    return [f"{row.data['secret']['subject']}\n{row.data['secret']['text']}" for row in rows]


def test_a_player_adds_a_passkey_and_signs_in_with_it(ana: User) -> None:
    device = give_passkey(ana)
    client = browser()
    answer = enter(device, client, next="/time/")
    assert answer["Location"] == "/time/"
    assert is_in(client)
    page = read(client.get(LIST)).text
    assert "laptop" in page
    assert "Last used on" in page


def test_the_sign_in_page_sends_on_nowhere_else(ana: User) -> None:
    assert enter(give_passkey(ana), next="https://elsewhere.example/")["Location"] == "/"


def test_it_asks_of_every_device_who_holds_it(ana: User) -> None:
    client = by_password(ana)
    made = options(client, NEW)["publicKey"]
    assert made["authenticatorSelection"]["residentKey"] == "required"
    assert made["authenticatorSelection"]["userVerification"] == "required"
    assert made["rp"] == {"id": "localhost", "name": "Gem server"}
    assert made["user"]["name"] == "ana"
    assert ana.email not in json.dumps(made)
    asked = options(browser())["publicKey"]
    assert asked["userVerification"] == "required"
    assert not asked.get("allowCredentials")


@pytest.mark.parametrize(
    "change",
    first(
        3,
        [
            {"flags": PRESENT},
            {"origin": "https://localhost:8000"},
            {"origin": "http://play.localhost:8000"},
            {"origin": "http://localhost:8001"},
            {"host": "elsewhere.example"},
            {"number": b"another one of some"},
            {"key": Device().key},
            {"handle": "MQ"},
            {"handle": "eno"},
            {"handle": ""},
        ],
    ),
)
def test_an_answer_that_proves_nothing_lets_nobody_in(change: dict[str, Any], ana: User) -> None:
    client = browser()
    device = replace(give_passkey(ana), **change)
    if change.get("handle") == "MQ":
        make_user("another")
        ana.delete()
    answer = client.post(ENTER, {"credential": device.prove(options(client))}, follow=True)
    assert UNKNOWN in read(answer).text
    assert not is_in(client)


def test_an_answer_counts_once_and_in_the_browser_that_was_asked(ana: User) -> None:
    device, client = give_passkey(ana), browser()
    answer = device.prove(options(client))
    client.post(ENTER, {"credential": answer})
    assert is_in(client)
    client.post("/accounts/logout/")
    for other in (client, browser()):
        other.post(ENTER, {"credential": answer})
        assert not is_in(other)


def test_a_wrong_answer_uses_up_the_question(ana: User) -> None:
    device, client = give_passkey(ana), browser()
    right = device.prove(options(client))
    client.post(ENTER, {"credential": "{}"})
    client.post(ENTER, {"credential": right})
    assert not is_in(client)


DAMAGED = [
    "x",
    "[]",
    "null",
    "1",
    '"a"',
    "[" * 9999,
    "{}",
    '{"response": []}',
    '{"response": {}}',
    "9" * 20_001,
]


@pytest.mark.parametrize("answer", first(2, DAMAGED))
def test_what_is_no_answer_of_a_browser_is_refused(answer: str, ana: User) -> None:
    client, own = browser(), by_password(ana)
    options(client)
    assert UNKNOWN in read(client.post(ENTER, {"credential": answer}, follow=True)).text
    options(own, NEW)
    refused = own.post(NEW, {"name": "laptop", "credential": answer})
    assert refused.status_code == 422
    assert NOT_ADDED in read(refused).text


@pytest.mark.parametrize(
    "part", ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]
)
def test_damaged_parts_are_refused(part: str, ana: User, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {}
    device, client, own = give_passkey(ana), browser(), by_password(ana)
    for value in ("", "AA", "____", "wA", "n58", 5, None, [], {}, "é"):
        if part != "attestationObject":
            client.post(ENTER, {"credential": device.prove(options(client), **{part: value})})
            assert not is_in(client), value
        if part in {"clientDataJSON", "attestationObject"}:
            answer = Device().make(options(own, NEW), **{part: value})
            assert own.post(NEW, {"name": "laptop", "credential": answer}).status_code == 422, value
    assert Authenticator.objects.count() == 1


def shut(user: User) -> None:
    ban_user(user, "You called everybody a cheat.", now=clock.now())


def test_a_shut_account_is_told_why_and_let_in_again_when_it_is_opened(ana: User) -> None:
    device, client = give_passkey(ana), browser()
    shut(ana)
    answer = enter(device, client)
    assert answer.status_code == 403
    assert "You called everybody a cheat." in read(answer).text
    assert not is_in(client)
    lift(Ban.objects.get(), now=clock.now())
    enter(device, client)
    assert is_in(client)


def make_bot(user: User) -> None:
    User.objects.filter(pk=user.pk).update(owner=make_user("owner"))


def make_guest(user: User) -> None:
    become_guest(user)


def erase(user: User) -> None:
    erasure.erase(user, now=clock.now())


@pytest.mark.parametrize("change", [make_bot, make_guest, erase])
def test_bots_guests_and_erased_accounts_never_get_in(change: Callable[[User], None], ana: User) -> None:
    device, client = give_passkey(ana), browser()
    change(ana)
    assert UNKNOWN in read(client.get(enter(device, client)["Location"])).text
    assert not is_in(client)


def test_erasing_an_account_takes_its_passkeys(ana: User) -> None:
    give_passkey(ana)
    erase(ana)
    assert not Authenticator.objects.exists()


@pytest.mark.postgresql
def test_the_database_deletes_passkeys_with_their_account_for_a_version_that_knows_of_none() -> None:
    """An upgrade that is taken back leaves passkeys behind, and accounts must still be erased."""
    asked = "SELECT confdeltype FROM pg_constraint WHERE contype = 'f' AND conrelid = 'mfa_authenticator'::regclass"
    with connection.cursor() as cursor:
        cursor.execute(asked)
        assert cursor.fetchall() == [("c",)]


def test_the_file_of_all_that_is_stored_has_them_by_name_without_their_keys(ana: User) -> None:
    give_passkey(ana)
    account = json.loads("".join(export.write_account(export.collect(ana, clock.now()))))
    (row,) = account["passkeys"]
    assert sorted(row) == ["created_at", "data__name", "last_used_at"]
    assert row["data__name"] == "laptop"


def test_who_lost_the_device_signs_in_with_the_password_or_a_code_alone(ana: User) -> None:
    give_passkey(ana)
    assert is_in(by_password(ana))
    client = browser()
    client.post("/accounts/login/code/", {"email": ana.email})
    (code,) = re.findall(r"[A-Z0-9]{3,4}-[A-Z0-9]{3,4}", mails_to(ana)[-1])
    client.post("/accounts/login/code/confirm/", {"code": code})
    assert is_in(client)


def test_a_device_that_is_removed_lets_nobody_in_any_more(ana: User) -> None:
    device, client = give_passkey(ana), by_password(ana)
    row = Authenticator.objects.get()
    answer = client.post(REMOVE, {"passkey": row.pk}, follow=True)
    assert "The passkey laptop is removed" in read(answer).text
    assert not is_in_by(device)


def is_in_by(device: Device) -> bool:
    client = browser()
    enter(device, client)
    return is_in(client)


def test_a_passkey_is_renamed(ana: User) -> None:
    give_passkey(ana)
    client, row = by_password(ana), Authenticator.objects.get()
    client.post(LIST, {"passkey": row.pk, "name": "phone"})
    assert "phone" in read(client.get(LIST)).text
    for name in ("", "x" * 61, "a\0b"):
        assert client.post(LIST, {"passkey": row.pk, "name": name}).status_code in {400, 422}
    row.refresh_from_db()
    assert row.data["name"] == "phone"


def test_nobody_sees_renames_or_removes_anothers(ana: User, ben: User) -> None:
    device, row = give_passkey(ana), Authenticator.objects.get()
    client = by_password(ben)
    assert "laptop" not in client.get(LIST).content.decode()
    assert client.post(LIST, {"passkey": row.pk, "name": "mine"}).status_code == 422
    client.post(REMOVE, {"passkey": row.pk})
    row.refresh_from_db()
    assert row.data["name"] == "laptop"
    assert is_in_by(device)


def test_adding_and_removing_are_told_by_mail_in_the_readers_language(ana: User) -> None:
    User.objects.filter(pk=ana.pk).update(language="fr")
    give_passkey(ana, "téléphone")
    by_password(ana).post(REMOVE, {"passkey": Authenticator.objects.get().pk})
    rows = OutboxMessage.objects.filter(kind="account", to=ana.email).order_by("pk")
    assert [row.data["secret"]["language"] for row in rows] == ["fr", "fr"]
    added, removed = mails_to(ana)
    assert "téléphone" in added
    assert "http://localhost:8000/you/passkeys/" in added
    assert "téléphone" in removed
    assert all("Serveur de gemmes" in mail for mail in (added, removed))
    assert delivery.send_queued() == 2


def some_time_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LATELY", timedelta(0))


def test_some_time_after_signing_in_the_password_is_asked_for_again(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_passkey(ana)
    client, row = by_password(ana), Authenticator.objects.get()
    some_time_later(monkeypatch)
    assert client.get(NEW)["Location"].startswith("/accounts/reauthenticate/")
    assert client.post(NEW)["Location"].startswith("/accounts/reauthenticate/")
    assert client.post(REMOVE, {"passkey": row.pk})["Location"].startswith("/accounts/reauthenticate/")
    assert Authenticator.objects.count() == 1
    client.post(f"/accounts/reauthenticate/?next={NEW}", {"password": "password"})
    assert client.get(NEW).status_code == 200


def test_a_page_that_was_open_for_long_asks_for_the_password_and_opens_again(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent again by itself, what its script asks for would stand in the window as it is, instead of the page."""
    client = by_password(ana)
    some_time_later(monkeypatch)
    assert client.post(NEW, headers={"accept": "application/json"}).status_code == 403
    assert client.get(NEW).status_code == 302
    answer = client.post(f"/accounts/reauthenticate/?next={NEW}", {"password": "password"})
    assert answer["Location"] == NEW


def test_who_has_no_password_signs_in_afresh_by_a_code(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    give_passkey(ana)
    client, row = by_password(ana), Authenticator.objects.get()
    client.force_login(ana)
    ana.set_unusable_password()
    ana.save()
    client.force_login(ana)
    for answer in (client.get(NEW), client.post(NEW), client.post(REMOVE, {"passkey": row.pk})):
        assert answer.status_code == 403
        assert "a code by mail is enough" in read(answer).text
    assert Authenticator.objects.count() == 1
    out = client.post("/accounts/logout/", {"next": f"/accounts/login/?next={LIST}"})
    assert out["Location"] == f"/accounts/login/?next={LIST}"


def test_an_account_has_so_many_passkeys(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passkey_answers, "MOST", 2)
    for _ in range(2):
        give_passkey(ana)
    refused = by_password(ana).post(NEW)
    assert refused.status_code == 422
    assert "as many as an account can have" in refused.json()["refusal"]


def test_one_passkey_is_added_once(ana: User) -> None:
    device, client = give_passkey(ana), by_password(ana)
    answer = client.post(NEW, {"name": "again", "credential": device.make(options(client, NEW))})
    assert NOT_ADDED in read(answer).text
    assert Authenticator.objects.count() == 1


def test_what_is_kept_is_the_key_and_nothing_else_that_a_browser_sent(ana: User) -> None:
    device, client = Device(), by_password(ana)
    answer = json.loads(device.make(options(client, NEW), transports=["x" * 900])) | {"more": "x" * 900}
    client.post(NEW, {"name": "laptop", "credential": json.dumps(answer)})
    assert len(json.dumps(Authenticator.objects.get().data)) < 900
    assert is_in_by(device)


@pytest.mark.slow
def test_a_network_has_so_many_attempts_and_the_right_one_is_not_counted(ana: User) -> None:
    device = give_passkey(ana)
    for _ in range(12):
        assert is_in_by(device)
    client = browser()
    told = [read(client.post(ENTER, {"credential": "{}"}, follow=True)).text for _ in range(11)]
    assert all(UNKNOWN in text for text in told[:10])
    assert "Too many attempts." in told[10]
    cache.clear()
    begun = [client.post(ENTER) for _ in range(61)]
    assert [answer.status_code for answer in begun] == [200] * 60 + [429]
    assert "Too many attempts." in begun[-1].json()["refusal"]


def test_no_page_tells_before_a_sign_in_who_has_passkeys(ana: User, ben: User) -> None:
    give_passkey(ana)
    pages = []
    for user in (ana, ben):
        client = browser()
        for form in ({"login": user.username, "password": "wrong"}, {}):
            pages.append(
                re.sub(r'value="[\w.@]*"', "", client.post("/accounts/login/", form).content.decode())
            )
    assert pages[:2] == pages[2:]


def test_where_the_site_has_no_name_the_account_says_that_there_are_no_passkeys(
    ana: User, settings: Settings
) -> None:
    settings.SITE_URL = "http://192.0.2.1:8000"
    entrance = read(browser().get("/accounts/login/"))
    pages = [read(by_password(ana).get(path)) for path in (LIST, NEW)]
    assert "passkey" not in entrance.text
    assert all("This server cannot have passkeys" in page.text for page in pages)
    assert all("credential" not in page.fields for page in (entrance, *pages))


def test_without_scripts_the_pages_say_what_passkeys_need(ana: User) -> None:
    for page in (browser().get("/accounts/login/"), by_password(ana).get(NEW)):
        assert "They need a browser that knows them" in read(page).text
        assert re.search(r'<form id="passkey"[^>]* hidden', page.content.decode())


def test_signing_out_everywhere_else_and_another_password_leave_passkeys(ana: User) -> None:
    device = give_passkey(ana)
    here = by_password(ana)
    by_password(ana)
    here.post("/accounts/sessions/")
    assert is_in_by(device)
    ana.refresh_from_db()
    ana.set_password("quite another one")
    ana.save()
    assert is_in_by(device)
    assert "A passkey lets its device in again" in read(by_password_now(ana).get("/accounts/sessions/")).text


def by_password_now(ana: User) -> Client:
    client = browser()
    client.force_login(ana)
    return client


@pytest.mark.parametrize(
    "place", ["", "authenticate/", "webauthn/", "webauthn/login/", "totp/activate/", "recovery-codes/"]
)
def test_there_is_no_second_factor(place: str, ana: User) -> None:
    assert by_password(ana).get(f"/accounts/2fa/{place}").status_code == 404
