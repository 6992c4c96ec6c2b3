"""WSGI entry for gunicorn; production unless the mode is given. An unsafe configuration is not served."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from gemserver.lib import patience

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
os.environ.setdefault("GEMSERVER_MODE", "production")

patience.serve_as(patience.WEB)
application = get_wsgi_application()

from gemserver.checks import require_servable  # noqa: E402 needs the applications to be loaded

require_servable()
