"""Like `settings`, with everything that the site puts before its own views: middleware, sessions, accounts, CSRF.

The site reads a session and its account in a way of its own; here they are read as Django does.
"""

from __future__ import annotations

from gemserver.settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "tests.load.bare"]  # noqa: F405
ROOT_URLCONF = "tests.load.bare.urls"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
SESSION_ENGINE = "django.contrib.sessions.backends.db"
