"""A moderator's day: find an overdue seat, read the timeline, give time, take a move back, replace, send again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.matches.models import Match, Seat
from gemserver.moderation import audit
from gemserver.moderation.models import AuditEntry
from gemserver.notify.models import OutboxMessage
from tests.browser.test_looks import folder as folder
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.moderation.guards import tamper

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page


@pytest.fixture
def audit_can_be_emptied(transactional_db: None) -> Iterator[None]:
    """Empty the audit log afterwards; its triggers would keep the next test from a clean database."""
    yield
    tamper("DELETE FROM moderation_auditentry", "DELETE FROM moderation_audithead")


@pytest.fixture
def match(audit_can_be_emptied: None) -> Match:
    """Ana, Ben and Cy at GEM; one has just bid by mail, and the next one's time has run out."""
    match = make_match(
        players=[make_user(name) for name in ("ana", "ben", "cy")], server_part="5" * 64, now=clock.now()
    )
    first = match.seats.select_related("user").get(is_waiting=True)
    receive(first, letter(first, "bid 0\nhave fun"), dmarc="pass")
    OutboxMessage.objects.filter(kind="receipt").update(state="failed")
    Seat.objects.filter(match=match, is_waiting=True).update(due_at=clock.now() - timedelta(hours=2))
    return match


def test_a_moderators_day(window: BrowserContext, complaints: list[str], match: Match, folder: Path) -> None:
    make_user("mod", role=Role.MODERATOR)
    make_user("eve")
    late = match.seats.select_related("user").get(is_waiting=True)
    page = window.new_page()
    _sign_in(page, "mod")
    page.goto("/admin/")
    page.get_by_role("link", name=f"{match.code} {late.letter}: {late.name}").click()
    expect(page.get_by_text("bids 0.")).to_be_visible()
    page.screenshot(path=folder / "admin-timeline.png", full_page=True)

    row = page.locator("tr", has=page.get_by_role("rowheader", name=f"{late.letter} {late.name}"))
    row.get_by_role("link", name="Give more time").click()
    page.screenshot(path=folder / "admin-action.png", full_page=True)
    page.get_by_label("Hours").fill("48")
    _order(page, "Give more time", "the mail server was down")
    assert Seat.objects.get(pk=late.pk).due_at > clock.now() + timedelta(hours=47)  # type: ignore[operator]

    page.get_by_role("link", name="Take moves back").click()
    expect(page.get_by_label("From move")).to_have_value("1")
    _order(page, "Take moves back", "bid for the wrong seat")
    expect(page.get_by_text("bid 0 (void)")).to_be_visible()
    assert Match.objects.get(pk=match.pk).ply == 0

    row.get_by_role("link", name="Give the seat to another player").click()
    page.get_by_label("New player").fill("eve")
    _order(page, "Give the seat to another player", "moved away")
    expect(page.get_by_role("rowheader", name=f"{late.letter} eve")).to_be_visible()

    page.get_by_role("link", name="an answer to a mail").click()
    page.get_by_role("link", name="Send again").click()
    _order(page, "Send again", "the address works again")
    assert OutboxMessage.objects.get(kind="receipt").state == "queued"

    assert list(AuditEntry.objects.order_by("number").values_list("verb", "reason")) == [
        ("extend", "the mail server was down"),
        ("void", "bid for the wrong seat"),
        ("replace", "moved away"),
        ("resend", "the address works again"),
    ]
    page.goto("/admin/moderation/auditentry/")
    titles = ("Give more time", "Take moves back", "Give the seat to another player", "Send again")
    for number, title in enumerate(titles, start=1):
        expect(
            page.get_by_role("row", name=re.compile(rf"^{number} .* mod {title} {match.code} "))
        ).to_be_visible()
    page.screenshot(path=folder / "admin-audit.png", full_page=True)
    assert audit.find_fault() is None
    page.goto("/admin/")
    page.screenshot(path=folder / "admin-start.png", full_page=True)
    assert complaints == []


def _sign_in(page: Page, name: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto("/accounts/login/")
    page.fill("#id_login", name)
    page.fill("#id_password", "password")
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()


def _order(page: Page, button: str, reason: str) -> None:
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name=button).click()
