"""Answers and stored data: safe headers, error pages that tell nothing, no token in clear in the database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from gemserver.accounts.models import User
from gemserver.inbox import tickets
from gemserver.inbox.models import Ticket
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.models import Invitation, Match, Seat, Sitting
from gemserver.notify import delivery
from gemserver.operating import retention
from tests.api.programs import token_of
from tests.builders import make_match, make_table, make_user
from tests.mailgate.letters import letter
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, now=clock.now())


# --- Headers -------------------------------------------------------------------------------------

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
}


@pytest.fixture
def production(settings) -> None:
    """The production settings that answers depend on."""
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True


def paths(match: Match) -> Iterator[str]:
    yield from (
        "/",
        "/rules/gem/",
        "/accounts/login/",
        "/accounts/signup/",
        "/admin/login/",
        "/healthz",
        "/nothing/",
    )
    yield match.get_absolute_url()
    yield reverse("match-record", args=[match.code])


def test_every_answer_has_the_headers_that_make_browsers_careful(
    production, match: Match, players: list[User]
) -> None:
    for client in (Client(), signed_in(players[0])):
        for path in paths(match):
            response = client.get(path, secure=True)
            for name, value in HEADERS.items():
                assert response.headers.get(name) == value, (path, name)
            policy = response.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy, path
            assert "unsafe" not in policy, path


def test_cookies_are_for_https_and_not_for_scripts_of_others(production, players: list[User]) -> None:
    client = Client()
    client.get("/accounts/login/", secure=True)
    response = client.post("/accounts/login/", {"login": "ana", "password": "password"}, secure=True)
    assert "sessionid" in response.cookies
    for name, cookie in client.cookies.items():
        assert cookie["secure"], name
        assert cookie["samesite"] == "Lax", name
    assert client.cookies["sessionid"]["httponly"]


def test_plain_http_is_redirected_but_for_probes(production, match: Match) -> None:
    assert Client().get(match.get_absolute_url()).headers["Location"].startswith("https://")
    for probe in ("/healthz", "/readyz", "/metrics"):
        assert Client().get(probe).status_code != 301


# --- Error pages ---------------------------------------------------------------------------------


def test_an_error_page_tells_nothing(
    match: Match, players: list[User], settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = match.seats.select_related("user").get(user=players[0])
    inside = f"{seat.token} {match.server_part} {match.position} {settings.SECRET_KEY}"

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError(inside)

    monkeypatch.setattr("gemserver.matches.replay.position", fail)
    client = signed_in(players[0])
    client.raise_request_exception = False
    response = client.get(match.get_absolute_url())
    body = response.content.decode()
    assert response.status_code == 500
    assert "Something broke on our side" in body
    for secret in inside.split():
        assert secret not in body
    assert "Traceback" not in body
    assert "RuntimeError" not in body


def test_debug_is_off_in_every_mode(settings) -> None:
    source = (settings.BASE_DIR / "gemserver/settings.py").read_text()
    assert [line for line in source.splitlines() if line.startswith("DEBUG")] == ["DEBUG = False"]


@pytest.mark.parametrize("path", ["/nothing/%s/", "/m/%s/", "/u/%s/", "/mail/held/1/%s/", "/admin/%s/"])
def test_a_page_that_is_not_there_does_not_say_what_there_is(path: str) -> None:
    body = Client().get(path % "x", follow=True).content.decode()
    assert "urlconf" not in body.lower()
    assert "gemserver." not in body


# --- The database --------------------------------------------------------------------------------


def dump() -> Iterator[tuple[str, str, str]]:
    """Every value of every row of every table, as table, column and text in lower case."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for column, value in zip(columns, row, strict=True):
                    raw = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
                    yield table, column, raw.decode("utf-8", "replace").lower()


def places_of(secrets: dict[str, str]) -> dict[str, set[str]]:
    """Places in the database where each secret stands in clear, as `table.column`."""
    found: dict[str, set[str]] = {name: set() for name in secrets}
    for table, column, text in dump():
        for name, secret in secrets.items():
            if secret.lower() in text:
                found[name].add(f"{table}.{column}")
    return found


def play_by_mail(match: Match, count: int) -> None:
    """Play moves that players mail to their seats, with the mails before and after them."""
    for number in range(count):
        delivery.send_queued()
        seat = match.seats.select_related("user").filter(is_waiting=True).first()
        assert seat is not None
        position = replay.position(Match.objects.get(pk=match.pk))
        text = match.rules.write(next(iter(match.rules.legal_moves(position, seat.index))))
        mail = letter(seat, text, Message_ID=f"<{number}@client.example.org>")
        ingest(mail, seat.user.email, seat.reply_address, "smtp", {})
        processing.process_stored()
    delivery.send_queued()


def live_tokens() -> dict[str, str]:
    return {
        **{f"seat {seat.pk}": seat.token for seat in Seat.objects.exclude(user=None)},
        **{f"account {user.pk}": user.token for user in User.objects.all()},
        **{f"feed {user.pk}": user.feed_token for user in User.objects.all()},
        **{f"sitting {sitting.pk}": sitting.token for sitting in Sitting.objects.all()},
        **{f"invitation {invitation.pk}": invitation.token for invitation in Invitation.objects.all()},
    }


@pytest.mark.slow
def test_no_live_token_stands_in_the_database_in_clear(match: Match, players: list[User], settings) -> None:
    """A stolen backup lets nobody move. Only raw mail names the address that it went to, for 30 days."""
    settings.KEEP_RENDERED_MAIL = False
    now = clock.now()
    make_user("dee")
    sitting = propose_sitting(
        match.pk, players[0], "dee", now.date(), now.date() + timedelta(days=3), now=now
    )
    agree_to_sit(sitting.pk, User.objects.get(username="dee"), now=now)
    table = make_table(seats=3, now=now)
    join_table(table.pk, players[0], now=now)
    for whom in ("ben", "eve@example.net"):
        invite(table.pk, players[0], whom, now=now)
    code = tickets.issue(Ticket.Purpose.RESIGN, players[1].email, now=now, user=players[1])
    play_by_mail(match, 6)
    personal = token_of(players[0])
    secrets = {
        **live_tokens(),
        "code": code,
        "bare code": code.replace("-", ""),
        "personal": personal.removeprefix("gem_"),
    }
    assert len(secrets) > 15
    found = places_of(secrets)
    as_it_came = {"inbox_inboundemail.raw", "inbox_inboundemail.envelope_to"}
    assert {name: places - as_it_came for name, places in found.items() if places - as_it_came} == {}
    assert any(places for places in found.values())
    retention.forget(clock.now() + timedelta(days=31))
    assert {name: places for name, places in places_of(secrets).items() if places} == {}


def test_seed_and_position_of_a_running_match_stand_in_one_place_each(match: Match, settings) -> None:
    play_by_mail(match, 3)
    secrets = {"server part": match.server_part, "seed": replay.seed(match)}
    assert places_of(secrets) == {"server part": {"matches_match.server_part"}, "seed": set()}


def test_keys_of_the_server_are_not_in_the_database(match: Match, settings) -> None:
    play_by_mail(match, 1)
    keys = {"SECRET_KEY": settings.SECRET_KEY, "MAIL_KEY": settings.MAIL_KEY}
    assert places_of(keys) == {"SECRET_KEY": set(), "MAIL_KEY": set()}
