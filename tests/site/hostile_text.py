"""Text that nobody would type, for every address and every field of the site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import quote, urljoin, urlsplit

NUL = "a\0b"
VALUES = {
    "nul": NUL,
    "surrogate": "a\udc80b",
    "slash": "a/b",
    "encoded slash": "a%2Fb",
    "dots": "..",
    "long": "x" * 3000,
    "long name": "x" * 400,
    "right to left": "\u202egnol\u2066",
    "line break": "a\r\nb",
    "empty": "",
    "blank": " \u00a0\u3000",
    "number": "9" * 30,
    "long number": "9" * 5000,
    "largest key": str(2**63),
    "negative": "-1",
    "Arabic digits": "\u0663",
    "letters that grow": "\u0130\u1e9e\ufb03",
    "unassigned": "\U000e0001\ufffe",
    "markup": "<script>'\"&{{ 1 }}%s",
}


def quoted(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"), safe="")


_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")


def hostile_paths(route: str, sound: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each kind of text with each route that has it in one parameter; the other parameters are valid."""
    names = [one or other for one, other in _PARAMETER.findall(route)]
    plain = route.replace("^", "").removesuffix("$").removesuffix("\\Z")
    for name in names:
        for kind, value in VALUES.items():
            chosen = {**sound, name: value}
            yield kind, "/" + _PARAMETER.sub(lambda found: quoted(chosen[found[1] or found[2]]), plain)  # noqa: B023


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a page, with the fields it would send."""

    path: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> tuple[str, str, frozenset[str]]:
        """A key that is equal for forms sent to the same view with the same fields."""
        path = re.sub(r"\d+|[a-z2-7]{26}", "*", urlsplit(self.path).path)
        return self.method, path, frozenset(self.fields)


class FormReader(HTMLParser):
    """Collects all forms of a page, of any method."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._path = path
        self._named: dict[str, Form] = {}
        self._open: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            to = urljoin(self._path, given.get("action", ""))
            self._open = Form(to, given.get("method", "get").lower())
            self.forms.append(self._open)
            self._named[given.get("id", "")] = self._open
        form = self._named.get(given["form"]) if "form" in given else self._open
        if form and given.get("name") and tag in {"input", "select", "textarea", "button"}:
            form.fields.setdefault(given["name"], given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None


def forms_of(path: str, page: str) -> list[Form]:
    reader = FormReader(path)
    reader.feed(page)
    return reader.forms
