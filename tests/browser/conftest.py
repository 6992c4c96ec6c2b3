"""Debian's Chromium, driven by playwright against Django's live server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if not str(item.path).startswith(folder):
            continue
        item.add_marker("browser")
        item.add_marker("slow")
        if not CHROMIUM.exists():
            item.add_marker(
                pytest.mark.skip(f"There is no {CHROMIUM}; install it with: apt-get install chromium")
            )


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; run: make dev"
    )
    with pytest.MonkeyPatch.context() as patch, playwright.sync_playwright() as driver:
        # playwright runs an event loop in this thread, where Django would refuse to query the database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def window(chromium: Browser, live_server: object) -> Iterator[BrowserContext]:
    """A browser without cookies whose addresses begin at the live server."""
    context = chromium.new_context(base_url=str(live_server))
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def complaints(window: BrowserContext) -> list[str]:
    """Errors in the browser's console, such as blocked scripts and styles."""
    heard: list[str] = []

    def listen(page: Page) -> None:
        page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: heard.append(str(error)))

    window.on("page", listen)
    return heard


@pytest.fixture
def embedded(settings: Settings) -> Settings:
    settings.EMBEDDED = True
    return settings
