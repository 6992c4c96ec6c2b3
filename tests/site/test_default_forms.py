"""No form is refused as it stands, with nothing filled in but what it asks a name for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from django import forms
from django.http import HttpResponse
from django.test import Client

from games import registry
from gemserver.accounts.roles import Role
from gemserver.events.models import Event
from tests.builders import make_user
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

GAMES = sorted(registry.GAMES)


@pytest.fixture
def client() -> Client:
    return signed_in(make_user("olga", role=Role.MODERATOR))


def send_as_it_stands(client: Client, path: str, **typed: Any) -> HttpResponse:
    """Send the form of the page as a browser would: what is chosen, and the first of what is to be chosen."""
    form = client.get(path).context["form"]
    return client.post(path, {**_read(form), **typed})  # type: ignore[return-value]


def _read(form: forms.Form) -> Mapping[str, Any]:
    given = {}
    for bound in form:
        value = bound.value()
        if isinstance(bound.field, forms.BooleanField):
            value = "on" if value else None
        elif isinstance(bound.field, forms.ChoiceField) and value is None:
            is_list = not isinstance(bound.field.widget, forms.RadioSelect)
            value = next(iter(bound.field.choices))[0] if is_list else None
        if value is not None:
            given[bound.html_name] = value
    return given


def why_not(answer: Any) -> Any:
    return answer.status_code == 302 or (answer.context["refusal"], answer.context["form"].errors)


@pytest.mark.parametrize("format", Event.Format)
@pytest.mark.parametrize("game", GAMES)
def test_an_event_of_each_kind(client: Client, game: str, format: str) -> None:
    named = {"name": "Winter", "slug": "winter", "format": format}
    assert why_not(send_as_it_stands(client, f"/events/new/{game}/", **named)) is True


@pytest.mark.parametrize("game", GAMES)
def test_an_event_at_tables_of_each_size(client: Client, game: str) -> None:
    meta = registry.GAMES[game].rules.meta
    for seats in range(meta.min_seats, meta.max_seats + 1):
        named = {"name": "Winter", "slug": f"winter-{seats}", "seats": seats}
        assert why_not(send_as_it_stands(client, f"/events/new/{game}/", **named)) is True, seats


def test_no_length_is_offered_that_fits_no_table(client: Client) -> None:
    form = client.get("/events/new/gembatan/").context["form"]
    assert [days for days, _label in form.fields["season_days"].choices][:2] == ["", 28]


@pytest.mark.parametrize("game", GAMES)
def test_a_table(client: Client, game: str) -> None:
    assert why_not(send_as_it_stands(client, f"/tables/new/{game}/")) is True


def test_a_club(client: Client) -> None:
    assert why_not(send_as_it_stands(client, "/clubs/new/", name="Lake")) is True
