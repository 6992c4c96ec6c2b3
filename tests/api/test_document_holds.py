"""schemathesis against the running server: whatever is sent, nothing breaks, and the document names every answer.

With a token that may do everything, and without any; with what fits the document, and with what does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from django.conf import LazySettings
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as bounded
from pytest_django.live_server_helper import LiveServer
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from gemserver.accounts.models import User
from gemserver.api.document import document
from gemserver.events.actions.start_season import start_season
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.api.programs import token_of
from tests.builders import make_match, make_table, make_user
from tests.clubs.people import make_club
from tests.events.leagues import make_event, make_players
from tests.quick import size

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

EXAMPLES = size(2, 20)
"""Requests for each address, of each kind."""
LEFT_OUT = [positive_data_acceptance]
"""A request that fits the document may still be refused: it is not your turn, there is no such match."""


@pytest.fixture
def ana() -> User:
    """A player with a match, a table and two clubs, in an event that is played, beside one that takes entries."""
    ana = make_user("ana")
    make_match(players=[ana, make_user("ben")], now=clock.now())
    make_table(seats=3, creator=ana, now=clock.now())
    starts_at = clock.now() + timedelta(days=7)
    event = make_event(ana, [ana, *make_players(3)], starts_at=starts_at, now=clock.now())
    start_season(event.seasons.get().pk, by=ana, now=clock.now())
    make_event(ana, slug="cup", name="Cup", starts_at=starts_at, now=clock.now())
    make_club("Lake", ana, make_user("cy"), is_private=False)
    make_club("Keller", ana)
    return ana


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("has_token", [True, False])
def test_no_answer_is_an_error_or_undocumented(
    live_server: LiveServer, ana: User, settings: LazySettings, mode: GenerationMode, has_token: bool
) -> None:
    settings.API_RATE = 1_000_000
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "wrong_token": "1000000/m/ip"}
    headers = {"Authorization": f"Bearer {token_of(ana)}"} if has_token else {}
    schema = schemathesis.openapi.from_dict(document())
    schema.config.update(base_url=live_server.url)
    codes = list(Match.objects.order_by("pk").values_list("code", flat=True))
    sent = sum(_send(operation.ok(), mode, headers, codes) for operation in schema.get_all_operations())
    assert sent >= 40


def _send(operation: Any, mode: GenerationMode, headers: dict[str, str], codes: Sequence[str]) -> int:
    """Send generated requests to one address, about these matches too; return how many there were."""
    sent = 0

    @seed(20260306)
    @bounded(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        nonlocal sent
        if mode is GenerationMode.POSITIVE and "code" in case.path_parameters and sent % 3:
            case.path_parameters["code"] = codes[sent % 3 - 1]
        if mode is GenerationMode.POSITIVE and "slug" in case.path_parameters and sent % 3:
            case.path_parameters["slug"] = ("league", "cup")[sent % 3 - 1]
        if mode is GenerationMode.POSITIVE and "club" in case.path_parameters and sent % 3:
            case.path_parameters["club"] = ("lake", "keller")[sent % 3 - 1]
        if mode is GenerationMode.POSITIVE and "game" in case.path_parameters and sent % 3:
            case.path_parameters |= {
                "game": "gem",
                **({"name": "open"} if "name" in case.path_parameters else {}),
            }
        is_mended = bool(headers) and _has_wrong_header(case)
        left_out = [*LEFT_OUT, negative_data_rejection] if is_mended else LEFT_OUT
        case.call_and_validate(headers=headers, excluded_checks=left_out)
        sent += 1

    check()
    return sent


def _has_wrong_header(case: Any) -> bool:
    """True if the request was made wrong in its header, which the token puts right again."""
    found = case.meta.components.get(ParameterLocation.HEADER) if case.meta else None
    return found is not None and found.mode is GenerationMode.NEGATIVE
