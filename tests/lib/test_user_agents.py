"""Browsers are named as people know them, and what is not known is not guessed."""

from __future__ import annotations

import pytest

from gemserver.lib.web.user_agents import name_browser

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/140.0.0.0 Safari/537.36",
            "Chrome on Windows",
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
            "Edge on Windows",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36",
            "Samsung Internet on Android",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
            " Version/18.5 Safari/605.1.15",
            "Safari on Mac",
        ),
        (f"{IPHONE} Version/18.5 Mobile/15E148 Safari/604.1", "Safari on iPhone"),
        (f"{IPHONE} CriOS/140.0 Mobile/15E148 Safari/604.1", "Chrome on iPhone"),
        (f"{IPHONE} FxiOS/140.0 Mobile/15E148 Safari/604.1", "Firefox on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) SomethingNew/1.0", "another browser on Windows"),
        ("my-script/2.0 " + "x" * 200, "a program: my-script/2.0 xxxxxxxxxxxxxxxxxxxxxxxxx…"),
        ("", "a browser that does not say which"),
    ],
)
def test_browsers_are_named(sent: str, named: str) -> None:
    assert name_browser(sent) == named
