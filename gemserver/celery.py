"""The Celery application. A task is only a nudge: every duty is a row that the sweeps find again."""

from __future__ import annotations

import os

from celery import Celery, signals
from django.conf import settings
from django.core.checks import Tags, run_checks
from django.core.exceptions import ImproperlyConfigured

from gemserver.lib.database import patience
from gemserver.lib.process.start_checks import require_rules

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
os.environ.setdefault("GEMSERVER_MODE", "production")

LAST_LOOKS = 10
"""Looks, a tenth of a second apart, for which a process of the pool waits at its end until its result was read.

A worker that is told to end while a task is on its way to the pool forgets the task, reads no result of it, and would
wait half a minute for a process that waits for that. Nobody needs the result.
"""
LONGEST_RUN = 10.0
"""Seconds after which a task that empties a queue of rows lets others run, and is sent again."""

app = Celery("gemserver")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.setup_logging.connect
def keep_logging(**kwargs: object) -> None:
    """Keep Celery from adding its own handlers: those in the settings leave secrets out."""


@signals.worker_init.connect
def be_patient_like_a_worker(**kwargs: object) -> None:
    """Bound the waits of the database, in this process and in its pool, whose processes are copies of it."""
    if settings.PRODUCTION:
        patience.serve_as(patience.TASKS)


@signals.worker_init.connect
def end_soon(**kwargs: object) -> None:
    """Let the processes of the pool wait no longer than `LAST_LOOKS` for their last result to be read."""
    from billiard import pool  # type: ignore[import-untyped]

    pool.GUARANTEE_MESSAGE_CONSUMPTION_RETRY_LIMIT = LAST_LOOKS


@signals.worker_init.connect
def refuse_unsafe_configuration(**kwargs: object) -> None:
    """Refuse to start a worker where no management command would run; Celery ignores the system checks."""
    errors = [message for message in run_checks(tags=[Tags.security]) if message.is_serious()]
    if errors:
        raise SystemExit("\n".join(str(error) for error in errors))
    try:
        require_rules()
    except ImproperlyConfigured as error:
        raise SystemExit(str(error)) from None
