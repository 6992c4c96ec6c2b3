"""WSGI entry for gunicorn; production unless a mode is given. An unsafe configuration is not served."""

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
from gemserver.lib.storable_text import Utf8Handler  # noqa: E402

require_servable()
require_rules()
application = Utf8Handler()
