"""`make mails`: write every mail the server can send, as text, HTML and pictures, to look at.

`--language fr`, `--scene digest` and `--plain` (no pictures) say which; they go to `var/mails`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from email import message_from_bytes, policy
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import django

from tests.pictures.layers import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from gemserver.notify.models import OutboxMessage

WIDTHS = (390, 800)
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--language", default="en", choices=["en", "fr", "de"])
    arguments.add_argument("--scene", nargs="*", help="scenes of tests/notify/every_mail.py")
    arguments.add_argument("--plain", action="store_true", help="no pictures")
    arguments.add_argument("--folder", type=Path, default=ROOT / "var/mails")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "gemserver.settings",
            "GEMSERVER_MODE": "embedded",
            "GEMSERVER_VAR": data,
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
        }
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0, interactive=False)
        folder = given.folder / given.language
        folder.mkdir(parents=True, exist_ok=True)
        _write_all(folder, given.language, given.scene)
    if not given.plain:
        _take_pictures(folder)


def _write_all(folder: Path, language: str, scenes: list[str] | None) -> None:
    from django.db import transaction

    from tests.notify.every_mail import SCENES, played

    for name in scenes or SCENES:
        with transaction.atomic(), played(name, language) as rows:
            for number, row in enumerate(rows):
                _write(folder / f"{name}-{number:02}-{row.kind}", row)
            transaction.set_rollback(True)


def _write(path: Path, row: OutboxMessage) -> None:
    from gemserver.site.mailroom.letters import Letter

    raw = bytes(row.rendered or b"")
    shown = Letter(row)
    fields = message_from_bytes(raw, policy=policy.default).items()
    header = "\n".join(f"{name}: {value}" for name, value in fields)
    path.with_suffix(".txt").write_text(f"{header}\n({len(raw)} bytes)\n\n{shown.text}")
    path.with_suffix(".html").write_text(shown.html_for_display("#"))


def _take_pictures(folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM, FLAGS

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page()
        for path in sorted(folder.glob("*.html")):
            page.goto(path.as_uri())
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 600})
                _take(page, path, width)
        browser.close()


def _take(page: Page, path: Path, width: int) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=path.with_name(f"{path.stem}-{width}-{scheme}.png"), full_page=True)
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        print(f"{path.stem}: {wide} px wide in a window of {width}", file=sys.stderr)


if __name__ == "__main__":
    main()
