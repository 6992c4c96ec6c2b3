"""Permissions: the answers of every address of the site to every kind of visitor.

The columns are a stranger, a player from elsewhere, a player of the match, and a moderator; first for GET, then for
POST without any fields. `login`: sent to sign in. 405: method not allowed.
A new address fails `test_every_address_is_listed` until it has a line here. The moderators' site has its own table,
`tests/moderation/test_who_may.py`.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.builders import make_match, make_table, make_user
from tests.events.leagues import make_event
from tests.quick import first
from tests.site.pages import signed_in
from tests.site.routes import every_route

pytestmark = pytest.mark.django_db

ADDRESSES = """
(home)                                        200 200 200 200   405 405 405 405
demo/sign-in/                                 404 404 404 404   404 404 404 404
m/<str:code>/                                 200 200 200 200   login 422 422 422
m/<str:code>/ply/<int:number>/                200 200 200 200   405 405 405 405
m/<str:code>/plies/<int:number>/              200 200 200 200   405 405 405 405
m/<small_code:code>/                          308 308 308 308   308 308 308 308
m/<small_code:code>/<path:rest>               308 308 308 308   308 308 308 308
m/<str:code>/board.svg                        200 200 200 200   405 405 405 405
m/<str:code>/rematch/                         405 405 405 405   login 302 302 302
news/                                         200 200 200 200   405 405 405 405
manifest.webmanifest                          200 200 200 200   405 405 405 405
m/<str:code>/seats/<int:index>/take/          login 405 405 405   login 422 302 422
m/<str:code>/moves/                           204 204 204 204   405 405 405 405
m/<str:code>/progress/                        200 200 200 200   405 405 405 405
m/<str:code>/deal/                            200 200 200 200   405 405 405 405
m/<str:code>/record.match                     200 200 200 200   405 405 405 405
m/<str:code>/holiday/                         login 405 405 405   login 404 422 404
m/<str:code>/orders/                          login 405 405 405   login 404 404 404
m/<str:code>/talk/                            login 405 405 405   login 422 422 422
m/<str:code>/talk/tune/                       login 405 405 405   login 404 302 404
m/<str:code>/notes/                           login 405 405 405   login 422 302 422
m/<str:code>/report/                          login 404 200 404   login 404 422 404
m/<str:code>/hint/                            login 302 302 302   login 302 302 302
m/<str:code>/review/                          login 302 302 302   login 302 302 302
m/<str:code>/what-if/                         login 302 302 302   login 302 302 302
m/<str:code>/what-if/<str:key>/               404 404 404 404   404 404 404 404
m/<str:code>/what-if/<str:key>/change/        login 405 405 405   login 404 404 404
m/<str:code>/what-if/<str:key>/report/        login 405 405 405   login 404 404 404
m/<str:code>/what-if/<str:key>/<int:number>/  404 404 404 404   404 404 404 404
m/<str:code>/what-if/<str:key>/<int:number>/moves/ 404 404 404 404   405 405 405 405
m/<str:code>/resign/                          login 404 200 404   login 404 302 404
m/<str:code>/return/                          login 405 405 405   login 422 422 422
m/<str:code>/table/progress/                  200 200 200 200   405 405 405 405
m/<str:code>/sitter/                          login 405 405 405   login 302 302 302
m/<str:code>/notifications/                   login 404 200 404   login 404 422 404
m/<str:code>/table/                           405 405 405 405   302 302 302 302
m/<str:code>/terms/                           login 302 302 302   login 302 302 302
m/<str:code>/cancel/                          login 302 302 302   login 422 422 422
m/<str:code>/link/<str:token>/                404 404 404 404   405 405 405 405
s/<small_code:code>/                          308 308 308 308   308 308 308 308
s/<small_code:code>/<path:rest>               308 308 308 308   308 308 308 308
s/<small_code:code>.<path:rest>               308 308 308 308   308 308 308 308
s/<str:code>/                                 200 200 200 200   405 405 405 405
s/<str:code>/<int:number>/                    200 200 200 200   405 405 405 405
s/<str:code>/<int:number>.png                 200 200 200 200   405 405 405 405
s/<str:code>.png                              200 200 200 200   405 405 405 405
s/<str:code>.gif                              404 404 404 404   405 405 405 405
puzzles/                                      200 200 200 200   login 302 302 302
puzzles/<str:day>/                            404 404 404 404   404 404 404 404
puzzles/<str:day>/moves/                      404 404 404 404   405 405 405 405
archive/                                      200 200 200 200   405 405 405 405
archive/<str:name>                            404 404 404 404   405 405 405 405
help/                                         200 200 200 200   405 405 405 405
fair-play/                                    200 200 200 200   405 405 405 405
imprint/                                      404 404 404 404   405 405 405 405
privacy/                                      404 404 404 404   405 405 405 405
practice/<slug:game>/                         200 200 200 200   302 302 302 302
tables/                                       200 200 200 200   405 405 405 405
tables/substitutes/                           200 200 200 200   405 405 405 405
tables/new/                                   login 200 200 200   login 405 405 405
events/                                       200 200 200 200   405 405 405 405
events/new/                                   login 200 200 200   login 405 405 405
events/new/<slug:game>/                       login 200 200 200   login 422 422 422
events/<slug:slug>/                           200 200 200 200   login 302 302 302
events/<slug:slug>/<int:number>/              404 404 404 404   login 302 302 302
tables/new/<slug:game>/                       login 200 200 200   login 422 422 422
matches/                                      200 200 200 200   405 405 405 405
ratings/<slug:game>.csv                       200 200 200 200   405 405 405 405
players/<str:name>/                           200 200 200 200   405 405 405 405
players/<str:name>/follow/                    login 405 405 405   login 302 302 302
invitations/<int:pk>/<str:token>/             404 404 404 404   404 404 404 404
invitations/<int:pk>/<str:token>/stop/        404 404 404 404   404 404 404 404
time/                                         login 200 200 200   login 200 200 200
notifications/                                login 200 200 200   login 200 200 200
feeds/<str:token>/moves.ics                   404 404 404 404   405 405 405 405
feeds/<str:token>/news.atom                   404 404 404 404   405 405 405 405
clubs/                                        200 200 200 200   405 405 405 405
clubs/new/                                    login 200 200 200   login 422 422 422
clubs/<slug:slug>/                            404 404 404 404   404 404 404 404
clubs/<slug:slug>/edit/                       login 404 404 404   login 404 404 404
rules/<slug:slug>/                            200 200 200 200   405 405 405 405
players/                                      200 200 200 200   405 405 405 405
games/<slug:slug>/                            200 200 200 200   405 405 405 405
games/<slug:slug>/leaderboard/                200 200 200 200   405 405 405 405
games/<slug:slug>/tutorial/                   200 200 200 200   405 405 405 405
games/<slug:slug>/tutorial/<slug:name>/       200 200 200 200   405 405 405 405
games/<slug:slug>/tutorial/<slug:name>/moves/ 200 200 200 200   405 405 405 405
games/<slug:slug>/tutorial/<slug:name>/board.svg 200 200 200 200   405 405 405 405
mail-room/                                    404 404 404 404   404 404 404 404
mail-room/new/                                404 404 404 404   404 404 404 404
mail-room/sent/<int:pk>/                      404 404 404 404   404 404 404 404
mail-room/sent/<int:pk>/html/                 404 404 404 404   404 404 404 404
mail-room/received/<int:pk>/                  404 404 404 404   404 404 404 404
mail-room/received/<int:pk>/progress/         404 404 404 404   404 404 404 404
mail/held/<int:pk>/<str:mac>/                 404 404 404 404   404 404 404 404
mail/try-again/                               login 405 405 405   login 302 302 302
anymail/<slug:provider>/inbound/              404 404 404 404   404 404 404 404
anymail/<slug:provider>/inbound_mime/         404 404 404 404   404 404 404 404
anymail/<slug:provider>/tracking/             404 404 404 404   404 404 404 404
u/<str:token>/                                404 404 404 404   404 404 404 404
u/<str:token>/<slug:category>/                404 404 404 404   404 404 404 404
you/                                          login 200 200 200   login 422 422 422
you/unblock/                                  login 405 405 405   login 302 302 302
you/export/                                   login 405 405 405   login 200 200 200
you/erase/                                    login again again again   login again again again
you/bots/                                     login 200 200 200   login 422 422 422
you/bots/<str:name>/                          login 404 404 404   login 404 404 404
you/channels/                                 login 200 200 200   login 302 302 302
you/mails/                                    login 200 200 200   login 405 405 405
you/passkeys/                                 login 200 200 200   login 422 422 422
you/passkeys/new/                             login again again again   login again again again
you/passkeys/remove/                          login 405 405 405   login again again again
you/tokens/                                   login 200 200 200   login 422 422 422
you/tokens/new/<str:ticket>/                  login 404 404 404   login 404 404 404
api/                                          200 200 200 200   405 405 405 405
api/examples/                                 200 200 200 200   405 405 405 405
api/v1/<rest:rest>                            404 404 404 404   404 404 404 404
healthz                                       200 200 200 200   405 405 405 405
readyz                                        200 200 200 200   405 405 405 405
metrics                                       404 404 404 404   405 405 405 405
accounts/signup/                              200 302 302 302   200 302 302 302
accounts/signup/again/                        405 405 405 405   302 302 302 302
accounts/login/                               200 302 302 302   200 302 302 302
accounts/logout/                              302 200 200 200   302 302 302 302
accounts/passkey/                             405 405 405 405   200 302 302 302
accounts/email/                               login 200 200 200   login 302 302 302
accounts/password/change/                     login 200 200 200   login 200 200 200
accounts/sessions/                            login 200 200 200   login 302 302 302
"""
"""Address, four answers to GET, four to POST. Of allauth's pages, those that belong to an account."""

WHO = ("nobody", "other", "player", "moderator")


def lines() -> list[tuple[str, list[str]]]:
    rows = [line.split() for line in ADDRESSES.strip().splitlines()]
    return [("" if route == "(home)" else route, answers) for route, *answers in rows]


def test_every_address_is_listed() -> None:
    listed = {route for route, _ in lines()}
    ours = {route for route in every_route() if not route.startswith(("admin/", "accounts/"))}
    assert ours - listed == set()
    assert {route for route in listed if not route.startswith("accounts/")} - ours == set()


@pytest.fixture
def clients() -> dict[str, Client]:
    """A browser for each column; `ana` plays in the match."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    make_match(players=players, now=clock.now())
    make_table(seats=3)
    make_event(make_user("olga"), slug="gem", starts_at=clock.now() + timedelta(days=7), now=clock.now())
    people = {
        "other": make_user("dee"),
        "player": players[0],
        "moderator": make_user("mod", role=Role.MODERATOR),
    }
    return {"nobody": Client(), **{name: signed_in(user) for name, user in people.items()}}


@pytest.mark.slow
@pytest.mark.parametrize("part", first(1, range(4)))
def test_who_may(part: int, clients: dict[str, Client]) -> None:
    """One visitor after the other asks for each address; nothing that was done there stays."""
    found = []
    for route, answers in lines()[part::4]:
        path = fill_in(route)
        methods = ["get"] if route.startswith("accounts/logout") else ["get", "post"]
        untouched = transaction.savepoint()
        said = [say(getattr(clients[who], method)(path)) for method in methods for who in WHO]
        transaction.savepoint_rollback(untouched)
        if said != answers[: len(said)]:
            found.append((route, said, answers))
    assert found == []


def fill_in(route: str) -> str:
    match = Match.objects.filter(status="running").get()
    values = {
        "<str:code>": match.code,
        "<small_code:code>": match.code.lower(),
        "<path:rest>": "deal/",
        "<rest:rest>": "deal/",
        "<int:number>": "0",
        "<int:index>": "0",
        "<slug:game>": "gem",
        "<slug:slug>": "gem",
        "<str:name>": "ana",
        "<slug:name>": "open",
        "<int:pk>": "1",
        "<str:token>": "a" * 26,
        "<str:ticket>": "a" * 26,
        "<str:mac>": "a" * 10,
        "<slug:provider>": "mailgun",
        "<slug:category>": "turn",
        "<str:key>": "a" * 12,
    }
    for part, value in values.items():
        route = route.replace(part, value)
    return f"/{route}"


def say(response: HttpResponse) -> str:
    if response.status_code == 302 and response["Location"].startswith("/accounts/login/?next="):
        return "login"
    if response.status_code == 302 and response["Location"].startswith("/accounts/reauthenticate/"):
        return "again"
    return str(response.status_code)
