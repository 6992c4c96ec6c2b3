"""Debian's Chromium, driven by playwright against Django's live server.

Where the package `chromium-headless-shell` is installed too, that is taken: the same engine of the same source package,
without the windows and services of a browser around it, which take more than half of what a page costs. `make long`
takes the whole browser.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django import Settings

from tests.quick import IS_LONG

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Playwright

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
SHELL = Path(os.environ.get("CHROMIUM_SHELL", "/usr/bin/chromium-headless-shell"))
DRIVEN = SHELL if SHELL.exists() and not IS_LONG else CHROMIUM
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if not str(item.path).startswith(folder):
            continue
        item.add_marker("browser")
        item.add_marker("slow")
        if not DRIVEN.exists():
            item.add_marker(
                pytest.mark.skip(f"There is no {DRIVEN}; install it with: apt-get install chromium")
            )


@pytest.fixture(scope="package")
def driver() -> Iterator[Playwright]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; run: make dev"
    )
    with pytest.MonkeyPatch.context() as patch, playwright.sync_playwright() as running:
        # playwright runs an event loop in this thread, where Django would refuse to query the database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield running


@pytest.fixture(scope="package")
def chromium(driver: Playwright) -> Iterator[Browser]:
    with driver.chromium.launch(executable_path=str(DRIVEN), args=FLAGS) as browser:
        yield browser


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
