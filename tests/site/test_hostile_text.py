"""No text in an address, a query string, a cookie or a field breaks a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle, islice
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.core.signals import request_started
from django.db import close_old_connections
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.inbox.models import InboundEmail
from gemserver.lib.web.storable_text import Utf8Handler
from gemserver.matches.models import Invitation, Match
from tests.builders import make_user
from tests.moderation.addresses import every_address
from tests.moderation.planted import Club, make_club
from tests.quick import size, some
from tests.site.hostile_text import NUL, VALUES, Form, forms_of, hostile_paths, quoted
from tests.site.pages import read, signed_in
from tests.site.routes import every_route

pytestmark = pytest.mark.django_db

UNREADABLE = "That could not be read"
TO_A_PROGRAM = '"code":"unreadable"'


@pytest.fixture
def club(settings) -> Iterator[Club]:
    """A club with matches and people, without rate limits, and with a webhook for mail."""
    settings.ACCOUNT_RATE_LIMITS = False
    settings.MAIL_WEBHOOKS = ["postmark"]
    settings.ANYMAIL = {"WEBHOOK_SECRET": "name:a-long-enough-password"}
    settings.METRICS_TOKEN = "t" * 32
    cache.clear()
    yield make_club()
    cache.clear()


@pytest.fixture
def people(club: Club) -> dict[str, Client]:
    """Browsers of a stranger, a player of the matches, and an administrator who plays in none."""
    chief = make_user("chief", role=Role.ADMINISTRATOR, is_superuser=True)
    browsers = {"nobody": Client(), "player": signed_in(club.players[0]), "chief": signed_in(chief)}
    for browser in browsers.values():
        browser.raise_request_exception = False
    return browsers


def sound_parameters(club: Club) -> dict[str, str]:
    """A valid value for each parameter name."""
    match = club.matches[0]
    invitation = Invitation.objects.get()
    return {
        "code": match.code,
        "rest": "deal/",
        "number": "0",
        "index": "0",
        "game": "gem",
        "slug": "gem",
        "name": "ana",
        "pk": str(invitation.pk),
        "token": invitation.token,
        "mac": "a" * 10,
        "provider": "postmark",
        "category": "turn",
        "verb": "ban-address",
        "key": "ana@players.test",
        "object_id": "1",
        "content_type_id": "1",
        "app_label": "accounts",
        "url": "x",
        "id": "1",
        "uidb36": "1",
    }


@pytest.mark.slow
def test_no_text_in_an_address_breaks_a_page(club: Club, people: dict[str, Client]) -> None:
    sound = sound_parameters(club)
    paths = some([each for route in every_route() for each in hostile_paths(route, sound)], 3)
    assert {kind for kind, _ in paths} == {*VALUES}
    broken, kept = [], []
    for number, (kind, path) in enumerate(paths):
        who = "chief" if path.startswith("/admin/") else ("player", "nobody")[number % 2]
        method = "post" if (number // len(VALUES)) % 3 == 0 else "get"
        response = getattr(people[who], method)(path)
        if response.status_code >= 500:
            broken.append((who, method, kind, path[:200]))
        told = TO_A_PROGRAM if path.startswith("/api/v1/") else UNREADABLE
        if kind == "nul" and told not in response.content.decode():
            kept.append((who, method, path))
    assert (broken, kept) == ([], [])


def all_forms(club: Club, people: dict[str, Client]) -> list[tuple[str, Form]]:
    """Every form on any page, each kind of form once."""
    found: dict[object, tuple[str, Form]] = {}
    for path in pages(club):
        for who in ("chief",) if path.startswith("/admin/") else ("nobody", "player"):
            response = people[who].get(path)
            if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
                for form in forms_of(path, response.content.decode()):
                    found.setdefault(form.kind, (who, form))
    return [each for each in found.values() if "logout" not in each[1].path]


def pages(club: Club) -> list[str]:
    """Our own pages and allauth's, and one of each kind of the moderators' pages."""
    sound = sound_parameters(club)
    ours = [route for route in every_route() if not route.startswith("admin/")]
    filled = {path for route in ours for path in _sound_paths(route, sound, club)}
    moderators = {re.sub(r"/(\d+|M\d+|[^/]*@[^/]*)/", "/*/", path): path for path in every_address()}
    return sorted({*filled, *moderators.values(), *_private_pages()})


def _sound_paths(route: str, sound: dict[str, str], club: Club) -> Iterator[str]:
    for match in Match.objects.all():
        path = route.replace("<str:code>", match.code).replace("<slug:game>", "gem")
        for name, value in sound.items():
            for kind in ("str", "int", "slug"):
                path = path.replace(f"<{kind}:{name}>", value)
        if "<" not in path:
            yield f"/{path}"


def _private_pages() -> Iterator[str]:
    """Pages whose addresses only their addressees know."""
    from gemserver.inbox import held_mail

    yield from (held_mail.path(row, row.user.email) for row in InboundEmail.objects.filter(state="held"))
    yield from (f"/u/{user.token}/" for user in User.objects.all())


def send(browser: Client, form: Form, changes: dict[str, str]) -> HttpResponse:
    body = "&".join(f"{quoted(name)}={quoted(value)}" for name, value in (form.fields | changes).items())
    if form.method == "post":
        kind = "application/x-www-form-urlencoded"
        return browser.generic("POST", form.path, body, content_type=kind)  # type: ignore[return-value]
    return browser.generic("GET", f"{form.path.partition('?')[0]}?{body}")  # type: ignore[return-value]


def is_exempt(form: Form) -> bool:
    """True if mail programs may post to it too, and nothing they send is stored."""
    return bool(getattr(resolve(urlsplit(form.path).path).func, "csrf_exempt", False))


@pytest.mark.slow
def test_no_text_in_a_field_breaks_a_page(club: Club, people: dict[str, Client]) -> None:
    forms = all_forms(club, people)
    fields = [(who, form, name) for who, form in forms for name in form.fields]
    assert len(fields) > 100
    kinds = cycle(kind for kind in VALUES if kind != "nul")
    broken, kept = [], []
    for who, form, name in fields:
        for kind in ("nul", *islice(kinds, size(1, 3))):
            response = send(people[who], form, {name: VALUES[kind]})
            if response.status_code >= 500:
                broken.append((form.path, name, kind))
            if kind == "nul" and response.status_code != 400 and not is_exempt(form):
                kept.append((form.path, name))
    assert (broken, kept) == ([], [])


@pytest.mark.parametrize("path", ["/", "/m/M1/", "/accounts/login/", "/admin/", "/nowhere/"])
def test_nul_in_a_query_is_refused_with_words(path: str) -> None:
    for query in ("q=%00", "%00=q", "a=1&a=b%00c"):
        response = Client().get(f"{path}?{query}")
        assert (response.status_code, UNREADABLE in read(response).text) == (400, True)


def test_the_words_are_in_the_readers_language() -> None:
    assert '<html lang="de">' in Client(headers={"Accept-Language": "de"}).get("/m/%00/").content.decode()


def test_nul_in_a_cookie_is_refused() -> None:
    """Quoted cookies may hold octal escapes, so a proxy in front does not see the NUL."""
    response = Client(headers={"Cookie": 'sessionid="abcdefgh\\000"'}).get("/")
    assert response.status_code == 400


@pytest.mark.parametrize(
    "content_type",
    [
        *(
            f"text/plain; charset={name}"
            for name in ("utf-7", "utf-16", "hex", "undefined", "x\0", "nonsense")
        ),
        "text/plain; charset*=nonsense''x",
        f"multipart/form-data; boundary=b; x={'y' * 20_000}",
    ],
)
def test_a_request_is_read_as_utf_8_whatever_it_claims(content_type: str) -> None:
    """`+2AA-` is a lone surrogate in UTF-7."""
    request_started.disconnect(close_old_connections)  # the test's transaction would go with them
    try:
        assert [status_of(content_type, method) for method in ("GET", "POST")] == ["200", "403"]
    finally:
        request_started.connect(close_old_connections)


def status_of(content_type: str, method: str) -> str:
    """The status of the application itself, without the test client's own handling of requests."""
    answers: list[str] = []
    environ = RequestFactory()._base_environ(
        REQUEST_METHOD=method, PATH_INFO="/tables/", QUERY_STRING="q=%2B2AA-", CONTENT_TYPE=content_type
    )
    b"".join(Utf8Handler()(environ, lambda status, fields: answers.append(status)))
    return answers[0][:3]


def test_nothing_is_carried_out_of_a_form_with_nul_in_any_field(
    club: Club, people: dict[str, Client]
) -> None:
    form = {"name": "ana", "language": "de", "what else": NUL}
    assert people["player"].post("/you/", form).status_code == 400
    club.players[0].refresh_from_db()
    assert club.players[0].language == "en"
    assert people["player"].post(f"/you/?{quoted(NUL)}", form | {"what else": ""}).status_code == 400
