"""The pages that load balancers and monitors ask for."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from gemserver.operating import probes

pytestmark = pytest.mark.django_db


def test_not_ready_before_the_database_is_migrated() -> None:
    probes._has_all_migrations.cache_clear()
    applied = MigrationRecorder(connection).migration_qs.filter(app="operating")
    names = list(applied.values_list("name", flat=True))
    applied.delete()
    response = Client().get("/readyz")
    assert (response.status_code, response.content) == (503, b"the database waits for `manage.py migrate`\n")
    assert Client().get("/healthz").status_code == 200
    for name in names:
        MigrationRecorder(connection).record_applied("operating", name)
    assert Client().get("/readyz").content == b"ready\n"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_change_nothing(path: str) -> None:
    assert Client().post(path).status_code == 405
