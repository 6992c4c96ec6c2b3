"""Every kind of page by the rules of WCAG 2.2 AA, as far as axe-core can tell."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page
from pytest_django import Settings

from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage

pytestmark = pytest.mark.django_db(transaction=True)

STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.fixture(scope="module")
def axe() -> str:
    """The script, which finds what breaks the standards."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def find_faults(page: Page, axe: str) -> list[str]:
    """One line for each element that breaks a rule, in both colour schemes."""
    faults = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(axe)
        result: dict[str, Any] = page.evaluate(
            "standards => axe.run(document, {runOnly: {type: 'tag', values: standards}})", STANDARDS
        )
        faults += [
            f"{page.url} ({scheme}) {rule['id']}: {node['html'][:200]} {node['failureSummary']}"
            for rule in result["violations"]
            for node in rule["nodes"]
        ]
    return faults


def test_pages_are_accessible(window: BrowserContext, embedded: Settings, axe: str) -> None:
    page = window.new_page()
    page.goto("/")
    faults = find_faults(page, axe)
    page.get_by_role("button", name="Play as the demo player").click()
    page.wait_for_selector("#text")
    faults += find_faults(page, axe)
    page.fill("#text", "bid 99")
    page.locator("button[name=play]").first.click()
    page.wait_for_selector("#text-refusal")
    faults += find_faults(page, axe)
    delivery.send_queued()
    code = Match.objects.get().code
    letter = OutboxMessage.objects.filter(kind="turn").latest("pk").pk
    paths = (
        *("/", f"/m/{code}/ply/0/", f"/m/{code}/deal/", "/rules/gem/"),
        *("/mail-room/", "/mail-room/new/", f"/mail-room/sent/{letter}/?show=text", "/nowhere/"),
    )
    for path in paths:
        page.goto(path)
        faults += find_faults(page, axe)
    window.clear_cookies()
    for path in ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"):
        page.goto(path)
        faults += find_faults(page, axe)
    assert faults == [], "\n".join(faults)
