"""For gunicorn; `DJANGO_SETTINGS_MODULE` selects one of the two settings."""

from __future__ import annotations

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
