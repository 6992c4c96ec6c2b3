"""Every address of the API: who is let in, what is answered, and what stays out of other processes."""

from __future__ import annotations

import ast
import gzip
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.wsgi import LimitedStream
from django.test import Client

from gemserver import api
from gemserver.accounts.models import User
from gemserver.accounts.tokens import SCOPES
from gemserver.api.document import document
from gemserver.lib.web.problems import API_ROOT
from tests.api.programs import Program, code_of
from tests.builders import make_match
from tests.site.pages import read

pytestmark = pytest.mark.django_db

ADDRESSES = [(method, path) for path, methods in document()["paths"].items() for method in methods]


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
def test_nobody_is_let_in_without_a_token(method: str, path: str) -> None:
    answer = getattr(Client(), method)(
        path.format(code="M1", name="ana", slug="gem", club="lake", game="gem", key="k", day="2026-03-01"),
        content_type="application/json",
    )
    assert (answer.status_code, code_of(answer)) == (401, "no-token")
    assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), ADDRESSES)
def test_a_cookie_is_no_token(method: str, path: str, ana: User) -> None:
    browser = Client()
    browser.force_login(ana)
    answer = getattr(browser, method)(
        path.format(code="M1", name="ana", slug="gem", club="lake", game="gem", key="k", day="2026-03-01"),
        content_type="application/json",
    )
    assert answer.status_code == 401


@pytest.mark.parametrize(("method", "path"), [each for each in ADDRESSES if each[0] == "post"])
def test_what_changes_something_has_a_key(method: str, path: str) -> None:
    names = [each["name"] for each in document()["paths"][path][method]["parameters"]]
    assert ("Idempotency-Key" in names) != path.endswith(("/preview", "/try"))


def test_the_document_names_the_scope_of_every_address() -> None:
    named = {
        scope
        for methods in document()["paths"].values()
        for operation in methods.values()
        for scope in operation["security"][0]["Token"]
    }
    assert named == set(SCOPES)


def test_the_document_is_openapi_and_needs_no_token() -> None:
    answer = Client().get(f"{API_ROOT}openapi.json")
    made = json.loads(answer.content)
    assert made["openapi"].startswith("3.1")
    assert made["components"]["securitySchemes"]["Token"]["scheme"] == "bearer"
    again = Client().get(f"{API_ROOT}openapi.json", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


def test_head_options_and_other_methods(ana: User) -> None:
    program = Program.of(ana)
    sent = {"Authorization": f"Bearer {program.token}"}
    whole = program.get("turns")
    head = Client().head(f"{API_ROOT}turns", headers=sent)
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", whole["ETag"])
    assert int(head["Content-Length"]) == len(whole.content)
    options = Client().options(f"{API_ROOT}turns")
    assert (options.status_code, options["Allow"]) == (204, "GET, HEAD, OPTIONS")
    wrong = Client().delete(f"{API_ROOT}turns", headers=sent)
    assert (wrong.status_code, code_of(wrong)) == (405, "method")
    assert wrong["Allow"] == "GET, HEAD, OPTIONS"
    form = Client().put(
        f"{API_ROOT}turns", b"a=1", content_type="application/x-www-form-urlencoded", headers=sent
    )
    assert (form.status_code, code_of(form)) == (405, "method"), "no other body would help"
    nowhere = program.get("nowhere")
    assert (nowhere.status_code, code_of(nowhere)) == (404, "no-such-address")


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [
        ("gzip", True),
        ("gzip;q=0.5", True),
        ("br, gzip;q=1", True),
        ("gzip;q=0", False),
        ("br, GZIP; q=0.000", False),
    ],
)
def test_who_cannot_unpack_is_sent_nothing_packed(accepted: str, is_packed: bool, ana: User) -> None:
    answer = Program.of(ana).get("games", **{"Accept-Encoding": accepted})
    assert answer.status_code == 200
    assert (answer.headers.get("Content-Encoding") == "gzip") == is_packed
    assert "Accept-Encoding" in answer["Vary"]


def test_what_is_sent_is_bounded(players: list[User]) -> None:
    match = make_match(players=players)
    program = Program.of(players[0])
    address = f"{API_ROOT}matches/{match.code}/say"
    sent = {"Authorization": f"Bearer {program.token}", "Idempotency-Key": "k"}

    def post(body: bytes, kind: str = "application/json", **more: str) -> Any:
        return Client().post(address, body, content_type=kind, headers={**sent, **more})

    for body, status, code in (
        (b'{"text": "' + b"a" * 70_000 + b'"}', 413, "too-large"),
        (b'{"text": ', 400, "no-json"),
        (b'{"text": "\\u0000"}', 400, "unreadable"),
        (b'{"text": "\\ud800"}', 400, "unreadable"),
        (b"[" * 30_000, 400, "no-json"),
        (b'{"text": NaN}', 400, "no-json"),
        (b'{"text": Infinity}', 400, "no-json"),
        (b'{"text": -Infinity}', 400, "no-json"),
        (b'{"text": "a", "text": "b"}', 400, "twice"),
        (b'{"text": "a", "\\u0074ext": "a"}', 400, "twice"),
        (b'{"text": {"a": 1, "b": [{"a": 1, "a": 2}]}}', 400, "twice"),
        (b'{"\\ud800": 1, "\\ud800": 2}', 400, "twice"),
        (b"\xff", 400, "no-json"),
        ('{"text": "hé"}'.encode("latin-1"), 400, "no-json"),
        (b"[]", 422, "misfit"),
        (b'{"text": "a", "more": 1}', 422, "misfit"),
        (b"", 422, "misfit"),
    ):
        answer = post(body)
        assert (answer.status_code, code_of(answer)) == (status, code), body[:40]
    assert code_of(post(b"text=a", "application/x-www-form-urlencoded")) == "not-json"
    assert code_of(post(b'{"text": "a"}', Accept="text/html")) == "not-acceptable"
    twice = post(b'{"text": "a", "text": "b"}').json()
    assert twice["name"] == "text"
    assert "“text” stands twice" in twice["detail"]
    packed = post(gzip.compress(b'{"text": "a"}'), **{"Content-Encoding": "gzip"})
    assert (packed.status_code, code_of(packed), packed["Accept-Encoding"]) == (415, "encoded", "identity")
    assert not match.messages.exists()
    assert Client().get(f"{API_ROOT}turns?a=%00", headers=sent)["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("verb", ["say", "resign"])
def test_a_body_in_pieces_is_not_taken_for_none(players: list[User], verb: str) -> None:
    """As gunicorn has it from a proxy that does not gather what comes in."""
    program = Program.of(players[0])
    answer = Client().generic(
        "POST",
        f"{API_ROOT}matches/{make_match(players=players).code}/{verb}",
        content_type="application/json",
        headers={
            "Authorization": f"Bearer {program.token}",
            "Idempotency-Key": "k",
            "Transfer-Encoding": "chunked",
        },
    )
    assert (answer.status_code, code_of(answer)) == (411, "no-length")


@pytest.mark.parametrize("verb", ["say", "resign"])
def test_who_goes_away_within_a_body_is_no_fault_of_the_server(
    players: list[User], verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(*_size: int) -> bytes:
        raise ConnectionResetError

    match, program = make_match(players=players), Program.of(players[0])
    monkeypatch.setattr(LimitedStream, "read", break_off)
    answer = program.post(f"matches/{match.code}/{verb}", {"text": "hello"})
    assert (answer.status_code, code_of(answer)) == (400, "no-json")
    assert not match.moves.exists()


@pytest.mark.parametrize("verb", ["undo", "resign", "plan/clear"])
@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 30_000, b"[" * 900 + b"]" * 900, b"1" * 6_000])
def test_a_body_that_nobody_asked_for_breaks_nothing(players: list[User], verb: str, body: bytes) -> None:
    match, program = make_match(players=players), Program.of(players[0])
    sent = {"Authorization": f"Bearer {program.token}", "Idempotency-Key": "k"}
    address = f"{API_ROOT}matches/{match.code}/{verb}"
    answer = Client().post(address, body, content_type="application/json", headers=sent)
    assert (answer.status_code, code_of(answer)) == (400, "no-json")
    assert not match.moves.exists()


def test_pages_for_people_have_nothing_inline() -> None:
    for path in ("/api/", "/api/examples/"):
        page = read(Client().get(path))
        assert page.inline == []
    assert "/api/v1/turns" in read(Client().get("/api/")).text
    assert "Idempotency-Key" in read(Client().get("/api/examples/")).text


@pytest.mark.slow
@pytest.mark.parametrize(
    "process",
    [
        "import gemserver.celery; gemserver.celery.app.loader.import_default_modules()",
        "import gemserver.mailgate.receivers.smtp",
    ],
)
def test_other_processes_never_import_the_api(process: str) -> None:
    """They write links, for which all addresses are read."""
    script = f"""
import django, sys
django.setup()
{process}
from django.urls import reverse
reverse("home")
loaded = {{name.partition(".")[0] for name in sys.modules}} & {{"ninja", "pydantic", "uvicorn"}}
assert not loaded, loaded
ours = {{name for name in sys.modules if name.startswith("gemserver.api")}}
assert ours <= {{"gemserver.api", "gemserver.api.entry"}}, ours
"""
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": "/usr/bin:/bin"}
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    "accept",
    [
        "application/json; charset=utf-8",
        "application/json;q=0.5;indent=2",
        "application/*;v=1",
        "text/html, */*",
        "",
    ],
)
def test_parameters_of_what_is_accepted_are_passed_over(accept: str) -> None:
    assert Client().get(f"{API_ROOT}openapi.json", headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "application/xml; charset=utf-8"])
def test_who_accepts_no_json_is_told_so(accept: str) -> None:
    answer = Client().get(f"{API_ROOT}openapi.json", headers={"Accept": accept})
    assert (answer.status_code, code_of(answer)) == (406, "not-acceptable")


@pytest.mark.parametrize("path", ["", "turns", "openapi.json", "nowhere"])
def test_a_wrong_name_of_the_server_is_a_problem_too(path: str) -> None:
    for language in ("en", "de"):
        answer = Client().get(
            f"{API_ROOT}{path}", headers={"Host": "evil.example", "Accept-Language": language}
        )
        assert (answer.status_code, code_of(answer)) == (400, "wrong-host")
        assert answer["Content-Language"] == language
    page = Client().get("/", headers={"Host": "evil.example"})
    assert (page.status_code, page["Content-Type"]) == (400, "text/html; charset=utf-8")


def test_the_root_is_no_page() -> None:
    for method in ("get", "post", "options"):
        answer = getattr(Client(), method)(API_ROOT)
        assert (answer.status_code, code_of(answer)) == (404, "no-such-address")


def test_what_is_not_as_if_match_names_it_is_a_problem(ana: User) -> None:
    program = Program.of(ana)
    known = program.get("turns")["ETag"]
    assert program.get("turns", **{"If-Match": known}).status_code == 200
    answer = program.get("turns", **{"If-Match": '"another"'})
    assert (answer.status_code, code_of(answer)) == (412, "changed")


def test_an_address_with_a_line_feed_is_answered_as_a_problem() -> None:
    answer = Client().get(f"{API_ROOT}matches/M1%0A/log")
    assert answer.status_code in (401, 404, 422)
    assert code_of(answer)


def test_who_has_no_account_is_answered_in_the_language_they_accept() -> None:
    answer = Client().get(f"{API_ROOT}turns", headers={"Accept-Language": "fr"})
    assert answer["Content-Language"] == "fr"
    assert "Accept-Language" in answer["Vary"]


def test_no_two_shapes_share_a_name() -> None:
    """The document has one place for each name: the second shape would take that of the first."""
    names = Counter(
        node.name
        for path in Path(api.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, number in names.items() if number > 1] == []
