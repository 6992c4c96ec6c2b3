"""WSGI entry for gunicorn; production unless a mode is given. An unsafe configuration is not served."""

from __future__ import annotations

from gemserver.serving import set_up

set_up()

from gemserver.checks import require_pages  # noqa: E402 these need Django to be set up
from gemserver.lib.web.storable_text import Utf8Handler  # noqa: E402

require_pages()
application = Utf8Handler()
