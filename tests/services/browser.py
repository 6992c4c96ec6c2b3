"""A browser for forms alone. With `https` it acts as behind the proxy of a real site: HTTP is used only inside."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urljoin, urlsplit

from tests.services.processes import Failed

TRIES, PAUSE = 100, 0.2
"""Attempts, and seconds between them, for a request that nobody has taken."""


@dataclass(slots=True)
class Form:
    """A form of a page: its fields, and its buttons as (name, value)."""

    action: str
    css: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def has_button(self, name: str) -> bool:
        return any(button == name for button, _ in self.buttons)


class FormReader(HTMLParser):
    """Collects the forms that are sent by POST, with the fields that stand elsewhere and name their form."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._named: dict[str, Form] = {}
        self._open: Form | None = None
        self._text_area: tuple[Form, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method", "").lower() == "post":
            self._open = Form(given.get("action", ""), given.get("class", ""))
            self.forms.append(self._open)
            self._named[given.get("id", "")] = self._open
        form = self._named.get(given["form"]) if "form" in given else self._open
        if form is None or not given.get("name"):
            return
        if tag == "input":
            form.fields[given["name"]] = given.get("value", "")
        elif tag == "textarea":
            self._text_area = form, given["name"]
            form.fields[given["name"]] = ""
        elif tag == "button":
            form.buttons.append((given["name"], given.get("value", "")))

    def handle_data(self, data: str) -> None:
        if self._text_area:
            form, name = self._text_area
            form.fields[name] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "textarea":
            self._text_area = None


@dataclass(frozen=True, slots=True)
class Page:
    """A response."""

    path: str
    status: int
    text: str

    def form(self, css_or_action: str) -> Form:
        """The form with this class or action; raises Failed if there is none."""
        form = self.find_form(css_or_action)
        if form is None:
            raise Failed(f"{self.path} ({self.status}) has no form {css_or_action!r}:\n{self.text[:3000]}")
        return form

    def find_form(self, css_or_action: str) -> Form | None:
        """The first form that has this class or action."""
        found = (form for form in self.forms() if css_or_action in (*form.css.split(), form.action))
        return next(found, None)

    def forms(self) -> list[Form]:
        reader = FormReader()
        reader.feed(self.text)
        return reader.forms


class Browser:
    """Keeps cookies and follows redirects."""

    def __init__(self, port: int, host: str, *, https: bool) -> None:
        self._port = port
        self._host = host
        self._https = https
        self._cookies: dict[str, str] = {}

    def another_tab(self) -> Browser:
        """Another tab of the person signed in here, who does something else meanwhile."""
        tab = Browser(self._port, self._host, https=self._https)
        tab.take_cookies_of(self)
        return tab

    def take_cookies_of(self, other: Browser) -> None:
        self._cookies = dict(other._cookies)

    def get(self, path: str) -> Page:
        return self._follow("GET", path)

    def send(self, page: Page, form: Form, button: tuple[str, str] | None = None, **typed: str) -> Page:
        """Fill in the form, press the button, and follow redirects."""
        values = form.fields | typed | (dict([button]) if button else {})
        return self._follow("POST", urljoin(page.path, form.action), urlencode(values), referer=page.path)

    def _follow(self, method: str, path: str, body: str | None = None, referer: str = "/") -> Page:
        for _ in range(5):
            status, location, text = self._request(method, path, body, referer)
            if status not in {301, 302, 303}:
                return Page(path, status, text)
            method, body, referer, path = "GET", None, path, _path_of(urljoin(path, location))
        raise Failed(f"{path} redirects without end")

    def _request(self, method: str, path: str, body: str | None, referer: str) -> tuple[int, str, str]:
        headers = {
            "Host": self._host,
            "Referer": f"http{'s' if self._https else ''}://{self._host}{referer}",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
        }
        if self._https:
            headers["X-Forwarded-Proto"] = "https"
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        for _ in range(TRIES):
            try:
                return self._exchange(method, path, body, headers)
            except (ConnectionError, http.client.RemoteDisconnected):
                time.sleep(PAUSE)  # like a visitor who finds the site away, and sends the same form again
        raise Failed(f"nobody listens on {self._port}")

    def _exchange(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, str, str]:
        connection = self.connect()
        try:
            connection.request(method, path.partition("#")[0], body, headers)
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
            for header in response.headers.get_all("Set-Cookie") or []:
                self._keep_cookie(header)
            return response.status, response.headers.get("Location", ""), text
        finally:
            connection.close()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)

    def _keep_cookie(self, header: str) -> None:
        for name, morsel in SimpleCookie(header).items():
            if not morsel.value or morsel["max-age"] == "0":
                self._cookies.pop(name, None)
                continue
            if self._https and not morsel["secure"]:
                raise Failed(f"the cookie {name} would travel without encryption")
            self._cookies[name] = morsel.value


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
