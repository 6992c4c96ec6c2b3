"""The Celery application. A task is only a nudge: every duty is a row that the sweeps find again."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
os.environ.setdefault("GEMSERVER_MODE", "production")

app = Celery("gemserver")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
