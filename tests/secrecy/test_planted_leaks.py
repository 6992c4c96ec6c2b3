"""The comparison notices a leak in every place where the server could have one."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.conf import LazySettings

from tests.secrecy.leaks import leaking
from tests.secrecy.secrets import find_answers, look_at_futures
from tests.secrecy.surfaces import differing, list_paths
from tests.secrecy.world import PUZZLE_DAY, World
from tests.site.test_permissions import lines

pytestmark = [pytest.mark.django_db, pytest.mark.pictures]

NOT_LOOKED_AT = {
    "demo/sign-in/": "not on this server",
    "m/<str:code>/link/<str:token>/": "a table that waits for players has no secret of a seat",
    "invitations/<int:pk>/<str:token>/": "the same",
    "invitations/<int:pk>/<str:token>/stop/": "the same",
    "mail-room/": "every mail of a server that plays by itself",
    "mail/held/<int:pk>/<str:mac>/": "its reader is the writer of the mail",
    "anymail/<slug:provider>/inbound/": "for machines that bring mail",
    "anymail/<slug:provider>/inbound_mime/": "the same",
    "anymail/<slug:provider>/tracking/": "the same",
    "u/<str:token>/": "shows mail settings",
    "u/<str:token>/<slug:category>/": "the same",
    "you/erase/": "asks for a fresh sign-in first",
    "api/": "describes addresses, and knows no match",
    "you/bots/<str:name>/": "one's own bots: their names and tokens",
    "you/passkeys/new/": "asks for a fresh sign-in first",
    "you/passkeys/remove/": "the same",
    "you/tokens/new/<str:ticket>/": "one's own tokens",
    "clubs/<slug:slug>/edit/": "what a club says about itself, for its owners",
    "clubs/new/": "a form that knows no match",
    "events/new/": "the same",
    "rules/<slug:slug>/": "knows no match",
    "games/<slug:slug>/tutorial/": "shows positions that everybody has",
    "manifest.webmanifest": "knows no match",
    "m/<str:code>/review/": "finished matches alone (tests/study)",
    "m/<str:code>/hint/": "one's own practice, by what the seat can know (tests/study)",
    "s/<str:code>.gif": "finished matches alone (tests/site/test_share.py)",
    "puzzles/<str:day>/": "finished matches alone (tests/puzzles)",
    "puzzles/<str:day>/moves/": "the same",
    "archive/": "finished matches alone (tests/archive)",
    "fair-play/": "knows no match",
    "help/": "the same",
    "imprint/": "the same",
    "privacy/": "the same",
    "healthz": "knows no match",
    "readyz": "knows no match",
    "accounts/": "one's own account",
}


@pytest.fixture
def world() -> World:
    return World("gem", 3, {"pace": "sealed"})


@pytest.mark.slow
def test_a_leak_in_any_place_to_anybody_is_noticed(world: World, settings: LazySettings) -> None:
    """Pages, feeds, exports, the moderators' site, subject, text, HTML and picture of mails, channels, and the log."""
    secret = find_answers(world, 0)
    assert secret
    secret = replace(secret, owner=None)
    with leaking(settings.MIDDLEWARE) as settings.MIDDLEWARE:
        [places], [others] = look_at_futures(world, secret)
    assert places.keys() - differing(places, others).keys() == set()
    assert {name.partition(":")[0] for name in places} == {
        *(
            "player1",
            "player2",
            "sitter",
            "spectator",
            "nobody",
            "guest",
            "moderator",
            "administrator",
            "log",
        ),
        "everybody",
    }
    for told in ("everybody: chat", "player1: hook"):
        assert any(name.startswith(told) for name in places), told
    for part in ("headers", "text", "text/html", "picture 0"):
        assert any(re.fullmatch(f"player1: mail \\d+ {part}", name) for name in places), part
    pages = {name: text for name, text in places.items() if ": /" in name or name.endswith("metrics")}
    looking_back = {name for name in pages if "/what-if" in name or f"puzzles/{PUZZLE_DAY}" in name}
    ways_on = {name for name in pages if "/moves/" in name and not name.startswith(("player", "sitter"))}
    assert {name for name, text in pages.items() if not text.startswith("200 ")} == looking_back | ways_on, (
        "only those who are asked are told the ways to go on, and nobody looks back at a match that runs"
    )


def test_every_address_is_looked_at_or_named(world: World) -> None:
    paths = {path.partition("?")[0] for each in world.observers for path in list_paths(world, each)}
    addresses = [
        (route, re.sub(r"<[^>]*>", "[^/]+", f"/{route}"))
        for route, answers in lines()
        if "200" in answers[:4] or "404" in answers[:4]
    ]
    missing = {
        route
        for route, pattern in addresses
        if not any(re.fullmatch(pattern, path) for path in paths) and route != "metrics"
    }
    assert {
        route for route in missing if not any(route.startswith(named) for named in NOT_LOOKED_AT)
    } == set()
