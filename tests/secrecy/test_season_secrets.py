"""The secret of a season that is played stands nowhere: from it all deals and lots follow."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.core import mail
from django.test import Client
from django.urls import reverse

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.api.document import document
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Event, Season
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.notify import delivery
from tests.api.programs import Program, token_of
from tests.builders import NOON, make_user
from tests.clubs.test_privacy import VALUES, fill_in
from tests.events.leagues import make_event, make_players, season_of
from tests.mailgate.posting import sent_to, write
from tests.site.pages import signed_in
from tests.site.routes import every_route

pytestmark = pytest.mark.django_db

SLUG = VALUES["<slug:slug>"]


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


@pytest.fixture
def league(caplog: pytest.LogCaptureFixture) -> Event:
    """A league that has begun, opened by a moderator who may see all of its site."""
    caplog.set_level(logging.DEBUG)
    event = make_event(make_user("mod", role=Role.MODERATOR), make_players(4), slug=SLUG)
    start_season(season_of(event).pk, by=None, now=season_of(event).starts_at)
    return event


def pages(match: Match) -> Iterator[str]:
    """Every address that can be filled in, and the moderators' lists and rows of all that they have."""
    for route in every_route():
        if not route.startswith(("admin/", "accounts/", "demo/")):
            yield fill_in(route, match.code)
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        yield from (reverse(f"{name}_change", args=[row.pk]) for row in model._default_manager.all()[:3])


def operations(match: Match, season: Season) -> Iterator[str]:
    """Every operation of the API that is read."""
    values = {"code": match.code, "slug": SLUG, "name": "player00", "game": "gembatan", "number": "1"}
    for path, methods in document()["paths"].items():
        if "get" in methods and "{club}" not in path:
            names = {each["name"] for each in methods["get"].get("parameters", ()) if each["in"] == "path"}
            yield path.removeprefix("/api/v1/").format(**{name: values.get(name, "1") for name in names})


@pytest.mark.slow
def test_no_page_operation_mail_or_log_line_has_it(league: Event, caplog: pytest.LogCaptureFixture) -> None:
    season = season_of(league)
    match = Match.objects.filter(fixture__division__season=season)[0]
    delivery.send_queued()
    player = User.objects.get(username="player00")
    write(player, f"standings {SLUG}\nevents\nexport\ndeal {match.code}")
    everything = [str(message.message()) for message in mail.outbox]  # type: ignore[attr-defined]
    for client in (Client(), signed_in(player), signed_in(User.objects.get(username="mod"))):
        everything += [_read(client, path) for path in pages(match)]
    program = Program(token_of(player))
    everything += [program.get(path).content.decode() for path in operations(match, season)]
    everything.append(caplog.text)
    assert sent_to(player)
    assert sum(season.commitment in text for text in everything) > 2, "the page of the league is among them"
    assert [text[:200] for text in everything if season.secret in text] == []


def _read(client: Client, path: str) -> str:
    response = client.get(path)
    return bytes(response.getvalue()).decode(errors="replace")
