"""Names a browser and its system by what it says of itself, as people know them."""

from __future__ import annotations

import re

from django.utils.text import Truncator
from django.utils.translation import gettext

_BROWSERS = (
    # A browser names those whose place it takes, too: the one that names fewest comes last.
    ("Edge", r"\b(?:Edg|EdgA|EdgiOS|Edge)/"),
    ("Opera", r"\b(?:OPR|OPT|Opera)/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Vivaldi", r"\bVivaldi/"),
    ("DuckDuckGo", r"\b(?:DuckDuckGo|Ddg)/"),
    ("Yandex", r"\bYaBrowser/"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/"),
    ("Chrome", r"\b(?:Chrome|CriOS|Chromium|HeadlessChrome)/"),
    ("Safari", r"\bVersion/[\d.]+ (?:Mobile/\w+ )?Safari/"),
)
_SYSTEMS = (
    ("iPhone", r"\biPhone\b"),
    ("iPad", r"\biPad\b"),
    ("Android", r"\bAndroid\b"),
    ("Windows", r"\bWindows\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("Mac", r"\bMacintosh\b"),
    ("Linux", r"\b(?:Linux|X11)\b"),
)
LONGEST = 40


def name_browser(user_agent: str) -> str:
    """Name browser and system; what is not known is quoted, and nothing is guessed.

    >>> name_browser("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Windows'
    >>> name_browser("curl/8.5.0")
    'a program: curl/8.5.0'
    """
    browser, system = _find(_BROWSERS, user_agent), _find(_SYSTEMS, user_agent)
    if browser and system:
        return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    if browser or not user_agent.strip():
        return browser or gettext("a browser that does not say which")
    if system:
        return gettext("another browser on %(system)s") % {"system": system}
    return gettext("a program: %(name)s") % {"name": Truncator(user_agent.strip()).chars(LONGEST)}


def _find(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for name, pattern in names if re.search(pattern, user_agent)), "")
