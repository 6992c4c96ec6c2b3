"""The same view behind everything that the site puts before its own: middleware, sessions, accounts, CSRF."""

from __future__ import annotations

from gemserver.settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "tests.load.bare"]  # noqa: F405
ROOT_URLCONF = "tests.load.bare.urls"
