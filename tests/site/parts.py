"""The page of a match as htmx sees it: its parts, and the page after an answer has been swapped in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.test.html import Element, parse_html

from gemserver.matches.models import Match

_EACH_TIME_NEW = {"csrfmiddlewaretoken", "request_id"}


def read_whole(client: Client, match: Match) -> Element:
    """Load the page as a whole."""
    response = client.get(match.get_absolute_url())
    assert response.status_code == 200
    return parse(response)


def parse(response: Any) -> Element:
    return parse_html(response.content.decode().split(">", 1)[1])


def find(page: Element, **wanted: str) -> Iterator[Element]:
    """The elements with this attribute; `_` stands for `-`."""
    [(name, value)] = [(name.replace("_", "-"), value) for name, value in wanted.items()]
    return (element for element in _all(page) if (name, value) in element.attributes)


def swapped_parts(page: Element, way: str) -> list[str]:
    """The ids that this page swaps after a request to `way` (an address)."""
    [ids] = {parts for parts, sent_to in _senders(page, "") if sent_to == way}
    return [part.removeprefix("#") for part in ids.split(",")]


def _senders(element: Element, inherited: str) -> Iterator[tuple[str, str]]:
    given = dict(element.attributes)
    parts = given.get("hx-select-oob", inherited)
    for verb in ("hx-post", "hx-get"):
        if verb in given:
            yield parts, given[verb]
    for child in element.children:
        if isinstance(child, Element):
            yield from _senders(child, parts)


def swap(page: Element, answer: Element, way: str) -> None:
    """Put the parts of the answer into the page, as htmx does: only where both have them."""
    for part in swapped_parts(page, way):
        for old in find(page, id=part):
            for new in find(answer, id=part):
                old.attributes, old.children = new.attributes, new.children
    title, answered = next(_named(page, "title")), next(_named(answer, "title"))
    title.children = answered.children


def _named(page: Element, name: str) -> Iterator[Element]:
    return (element for element in _all(page) if element.name == name)


def _all(page: Element) -> Iterator[Element]:
    """The elements in the order in which they begin."""
    waiting = [page]
    while waiting:
        element = waiting.pop()
        yield element
        waiting += [child for child in reversed(element.children) if isinstance(child, Element)]


def _is_preview(child: Element | str) -> bool:
    return isinstance(child, Element) and "property" in dict(child.attributes)


def told(page: Element) -> str:
    """The whole page, line by line, without values that differ each time and messages about the last action."""
    for hidden in _named(page, "input"):
        given = dict(hidden.attributes)
        if given.get("name") in _EACH_TIME_NEW:
            hidden.attributes = [(name, value) for name, value in hidden.attributes if name != "value"]
    for messages in find(page, id="messages"):
        messages.children = []
    # Without the preview, which programs read where others link to the page.
    for head in _named(page, "head"):
        head.children = [child for child in head.children if not _is_preview(child)]
    return re.sub(r">\s*<", ">\n<", str(page))
