"""Checks of the database that must pass before a process of the server begins to work."""

from __future__ import annotations

import logging

from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connections

log = logging.getLogger(__name__)

RULES = "rules"
"""Tag of the checks that matches which are not over have their rules."""


def require_rules() -> None:
    """Raises ImproperlyConfigured while a match that is not over needs rules that are not installed.

    A database that cannot be reached is for others to notice.
    """
    try:
        errors = run_checks(tags=[RULES], databases=["default"])
    except Error as error:
        log.warning("whether all matches have their rules is not known: %s", type(error).__name__)
        return
    finally:
        if not connections["default"].in_atomic_block:
            connections["default"].close()
    if errors:
        raise ImproperlyConfigured("\n".join(map(str, errors)))
