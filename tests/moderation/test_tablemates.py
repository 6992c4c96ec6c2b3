"""A moderator who plays has no power over the other players of the match: it would be power over the match."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import Ban, User
from gemserver.accounts.roles import Role
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.talk.report_abuse import report_abuse
from gemserver.matches.models import Match
from gemserver.moderation.models import AuditEntry
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user
from tests.mailgate.letters import letter, receive_at
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def mod() -> User:
    return make_user("mod", role=Role.ADMINISTRATOR)


@pytest.fixture
def match(ana: User, mod: User) -> Match:
    return make_match(players=[ana, mod], now=clock.now())


@pytest.fixture
def panel(match: Match, mod: User) -> Client:
    return signed_in(mod)


@pytest.mark.parametrize("action", ["ban/ana", "ban-address/ana@example.org"])
def test_nobody_is_shut_out_by_who_plays_with_them(panel: Client, match: Match, action: str) -> None:
    form = {"reason": "because", "request_key": "k", "note": "Insults."}
    for answer in (panel.get(f"/admin/actions/{action}/"), panel.post(f"/admin/actions/{action}/", form)):
        assert answer.status_code == 403
        assert "You are playing with ana just now; ask another moderator" in read(answer).text
    assert not Ban.objects.exists()
    assert not AuditEntry.objects.exists()
    Match.objects.update(status=Match.Status.FINISHED)
    assert panel.post(f"/admin/actions/{action}/", form).status_code == 302


def test_whose_bot_plays_decides_nothing_there(ana: User, mod: User) -> None:
    """A moderator knows all that their bot is shown, and gains by what helps it."""
    match = make_match(players=[ana, open_bot(mod, "modbot", now=NOON)], now=clock.now())
    panel = signed_in(mod)
    for path in (f"timeline/{match.code}/", f"actions/pause/{match.code}/", "actions/ban/ana/"):
        assert panel.get(f"/admin/{path}").status_code == 403, path
    assert match.code not in read(panel.get("/admin/matches/match/")).text


def test_accounts_addresses_and_sessions_are_nobodys_to_change_there(
    panel: Client, match: Match, ana: User
) -> None:
    """Setting a password or an address would let one sign in as its owner."""
    address = ana.emailaddress_set.get()
    assert "ana@example.org" in read(panel.get("/admin/account/emailaddress/?q=ana")).text
    changes = (f"account/emailaddress/{address.pk}/change/", f"accounts/user/{ana.pk}/change/")
    for path in (*changes, "account/emailaddress/add/", "accounts/user/add/"):
        assert panel.post(f"/admin/{path}", {"email": "mod@example.net"}).status_code == 403
    for path in ("usersessions/usersession/", "auth/group/"):
        assert panel.get(f"/admin/{path}").status_code == 404


def test_a_mail_to_an_account_is_not_shown_to_who_plays_with_its_owner(
    panel: Client, match: Match, ana: User, settings: object
) -> None:
    """Such a mail may answer for any match."""
    address = settings.ACCOUNT_REPLY.format(token=ana.token)  # type: ignore[attr-defined]
    raw = letter(match.seats.get(user=ana), "help", To=address)
    row = receive_at(address, raw, sender=ana.email, at=clock.now())
    assert InboundEmail.objects.get(user=ana, seat=None) == row
    assert "ana@example.org" not in read(panel.get("/admin/inbox/inboundemail/")).text
    assert panel.get(f"/admin/actions/reject/{row.pk}/").status_code == 403
    other = signed_in(make_user("other", role=Role.HELPER))
    assert "ana@example.org" in read(other.get("/admin/inbox/inboundemail/")).text


def test_a_moderator_who_sits_for_somebody_gets_no_report_of_that_match(ana: User, mod: User) -> None:
    now = clock.now()
    ben = make_user("ben")
    match = make_match(players=[ana, ben], now=now)
    sitting = propose_sitting(match.pk, ben, "mod", now.date(), now.date(), now=now)
    agree_to_sit(sitting.pk, mod, now=now)
    make_user("other", role=Role.HELPER)
    report_abuse(match.pk, ana, "he insults me", now=now)
    told = OutboxMessage.objects.filter(kind="report").values_list("user__username", flat=True)
    assert list(told) == ["other"]
