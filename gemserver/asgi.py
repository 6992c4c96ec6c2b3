"""ASGI entry of the waiting process (`manage.py waiting`); production unless a mode is given."""

from __future__ import annotations

import os

import django

from gemserver.lib import patience

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
os.environ.setdefault("GEMSERVER_MODE", "production")

patience.serve_as(patience.WEB)
django.setup(set_prefix=False)

from gemserver.checks import require_servable  # noqa: E402 needs the applications to be loaded
from gemserver.lib.start_checks import require_rules  # noqa: E402
from gemserver.waiting.application import WaitingApplication  # noqa: E402

require_servable()
require_rules()
application = WaitingApplication()
