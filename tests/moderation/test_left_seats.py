"""A moderator who has left a seat, or sat there for its player, decides nothing in that match while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.ask_sitter import (
    agree_to_sit,
    end_sitting,
    propose_sitting,
    refuse_to_sit,
)
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.models import Match, Move, Sitting
from gemserver.moderation.models import AuditEntry
from tests.builders import NOON, make_match, make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


@pytest.fixture
def mod() -> User:
    return make_user("mod", role=Role.ADMINISTRATOR)


def _resign(match: Match, mod: User) -> None:
    resign(match.pk, mod, source=Move.Source.WEB, request_id="one", now=NOON)


def _be_replaced(match: Match, mod: User) -> None:
    reassign_seat(match.pk, match.seats.get(user=mod).index, make_user("dora"), "Away.", now=NOON)


@pytest.mark.parametrize("leave", [_resign, _be_replaced])
def test_who_has_left_the_seat(leave: Callable[[Match, User], None], ana: User, ben: User, mod: User) -> None:
    """They knew a hand, could take back what had gone against them, and shut out who had beaten them."""
    match = make_match(players=[ana, ben, mod], now=NOON)
    leave(match, mod)
    _decides_nothing(match, mod)


def test_who_has_sat_for_a_player(ana: User, ben: User, mod: User) -> None:
    match = make_match(players=[ana, ben], now=NOON)
    agree_to_sit(_ask(match, ana, mod).pk, mod, now=NOON)
    end_sitting(Sitting.objects.get().pk, ana, now=NOON + timedelta(hours=1))
    _decides_nothing(match, mod)


def test_who_was_only_asked_to_sit_decides(ana: User, ben: User, mod: User) -> None:
    match = make_match(players=[ana, ben], now=NOON)
    refuse_to_sit(_ask(match, ana, mod).pk, mod, now=NOON)
    assert signed_in(mod).get(f"/admin/actions/pause/{match.code}/").status_code == 200


def _ask(match: Match, player: User, sitter: User) -> Sitting:
    return propose_sitting(match.pk, player, sitter.username, NOON.date(), NOON.date(), now=NOON)


def _decides_nothing(match: Match, mod: User) -> None:
    panel = signed_in(mod)
    asked = match.seats.get(index=0)
    form = {"reason": "because", "request_key": "k", "hours": 5, "note": "Insults."}
    assert panel.get(f"/admin/timeline/{match.code}/").status_code == 403
    for path in (f"extend/{asked.pk}", f"pause/{match.code}", f"adjudicate/{match.code}", "ban/ana"):
        assert panel.post(f"/admin/actions/{path}/", form).status_code == 403, path
    assert match.code not in read(panel.get("/admin/matches/match/")).text
    assert not AuditEntry.objects.exists()
