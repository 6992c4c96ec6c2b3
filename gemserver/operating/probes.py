"""Probes for monitoring: plain-text answers without a session."""

from __future__ import annotations

from functools import cache

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from gemserver.lib import clock
from gemserver.operating import alarms


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while this process answers at all."""
    return _say("ok")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 if the database answers and has all tables, else 503.

    Still 200 when the broker is away or the scheduler stands still, since players can move without them; but the answer
    mentions the scheduler, and the operators are told.
    """
    try:
        if not _is_migrated():
            return _say("the database waits for `manage.py migrate`", status=503)
        stands_since = alarms.watch_scheduler(clock.now())
    except DatabaseError:
        return _say("the database does not answer", status=503)
    if stands_since is not None:
        return _say(f"ready\nthe scheduler has stood still since {stands_since:%Y-%m-%d %H:%M:%S} UTC")
    return _say("ready")


def _is_migrated() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    if not _has_all_migrations():
        _has_all_migrations.cache_clear()
        return False
    return True


@cache
def _has_all_migrations() -> bool:
    """Reads every migration file; once true, it stays true for as long as this code runs."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _say(text: str, status: int = 200) -> HttpResponse:
    return HttpResponse(f"{text}\n", content_type="text/plain", status=status)
