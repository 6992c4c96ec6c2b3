"""Sets a process up before it answers requests."""

from __future__ import annotations

import os

import django

from gemserver.lib.database import patience


def set_up() -> None:
    """Set Django up; production unless a mode is given. Raises ImproperlyConfigured for what is unsafe to serve."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
    os.environ.setdefault("GEMSERVER_MODE", "production")
    patience.serve_as(patience.WEB)
    django.setup(set_prefix=False)
    # These need the applications to be loaded.
    from gemserver.checks import require_servable
    from gemserver.lib.process.start_checks import require_rules

    require_servable()
    require_rules()
