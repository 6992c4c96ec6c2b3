"""WSGI entry for gunicorn; production unless a mode is given. An unsafe configuration is not served."""

from __future__ import annotations

from gemserver.serving import set_up

set_up()

from gemserver.lib.web.storable_text import Utf8Handler  # noqa: E402 needs Django to be set up

application = Utf8Handler()
