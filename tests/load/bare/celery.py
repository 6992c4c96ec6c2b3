"""A Celery application without tasks, for the memory of a worker that does nothing."""

from __future__ import annotations

from celery import Celery

app = Celery("bare")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
