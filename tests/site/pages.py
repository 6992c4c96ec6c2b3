"""Reads pages in tests: visible text, forms and links."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.test import Client

from gemserver.accounts.models import User


@dataclass
class Page(HTMLParser):
    """A page's visible text, its fields and buttons, and the addresses it links to."""

    text: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    """Scripts and styles that the Content-Security-Policy would block."""

    def __post_init__(self) -> None:
        super().__init__()
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in {"script", "style"}:
            self._silent += 1
            if "src" not in given and given.get("type") != "application/json":
                self.inline.append(tag)
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        if tag == "input":
            self.fields[given.get("name", "")] = given.get("value", "")
        if tag == "button":
            self.buttons.append((given.get("name", ""), given.get("value", "")))
        if tag == "a":
            self.links.append(given.get("href", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.text += data


def read(response: Any) -> Page:
    """Read the page of a response, with runs of blanks in its text joined."""
    return _read(response.content.decode())


def read_main(response: Any) -> Page:
    """Like `read`, without the navigation around the page."""
    return _read(response.content.decode().partition("<main")[2].partition("</main>")[0])


def read_messages(response: Any) -> str:
    """Like `read`, of the messages about what the reader has just done; their text alone."""
    return _read(
        response.content.decode().partition('<div id="messages">')[2].partition("</div>")[0]
    ).text.strip()


def _read(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.text = re.sub(r"\s+", " ", page.text)
    return page


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
