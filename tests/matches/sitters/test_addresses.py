"""The reply address of a sitter is replaced as a player's is."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.models import Match, Sitting
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked
from tests.mailgate.test_reply_plays import sent
from tests.matches.sitters.sitting import SUNDAY, TODAY, mails_to, sit, write
from tests.site.test_account import sign_in_for_real

pytestmark = pytest.mark.django_db


def remove_address(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the user's only address by another one, as on the page of addresses."""
    monkeypatch.setattr(clock, "now", lambda: NOON)
    (old,) = user.verified_addresses()
    EmailAddress.objects.create(user=user, email="new@example.org", verified=True)
    client = sign_in_for_real(user)
    client.post("/accounts/email/", {"action_primary": "", "email": "new@example.org"})
    client.post("/accounts/email/", {"action_remove": "", "email": old})
    assert user.verified_addresses() == {"new@example.org"}


def test_the_sitters_address_in_mails_to_an_address_that_was_removed_is_dead(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever still reads them could move under the sitter's name, where nothing proves a sender."""
    old = sit(match, eva)
    mails_to(eva)
    remove_address(eva, monkeypatch)
    row = write(old, "bid 1", sender="new@example.org")
    assert (row.code, match.moves.count()) == ("former-address", 0)
    turn = OutboxMessage.objects.filter(user=eva, kind="turn").latest("pk")
    assert (turn.to, turn.state) == ("new@example.org", "queued"), "the turn is mailed with the new address"
    write(Sitting.objects.get(pk=old.pk), "bid 1", sender="new@example.org")
    assert match.moves.get().actor == eva


def test_who_is_asked_to_sit_is_asked_again_with_the_new_address(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = asked(match).user
    assert player is not None
    old = propose_sitting(match.pk, player, "eva", TODAY, SUNDAY, now=NOON)
    mails_to(eva)
    remove_address(eva, monkeypatch)
    assert write(old, "agree", sender="new@example.org").code == "former-address"
    again = OutboxMessage.objects.filter(user=eva, kind="sit-asked").latest("pk")
    assert (again.to, again.state) == ("new@example.org", "queued")
    assert write(Sitting.objects.get(pk=old.pk), "agree", sender="new@example.org").code == ""


def test_the_sitter_is_not_told_the_turn_again_when_the_player_removes_an_address(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva)
    told = OutboxMessage.objects.filter(user=eva, kind="turn").count()
    remove_address(sitting.player, monkeypatch)
    assert OutboxMessage.objects.filter(user=eva, kind="turn").count() == told


def test_a_sitter_who_disowns_a_mail_gets_a_new_address(match: Match, eva: User, client: Client) -> None:
    """The button says *change my reply address*; for a sitter it changed none."""
    old = sit(match, eva)
    write(old, "bid 1", sender="mallory@elsewhere.example")
    body = sent("held")[0].body
    page = next(word for word in body.split() if "/mail/held/" in word)
    client.post(page.removeprefix("http://localhost:8000"), {"choice": "refuse"})
    assert write(old, "bid 1").code == "former-address"
    write(Sitting.objects.get(pk=old.pk), "bid 1")
    assert match.moves.get().actor == eva
