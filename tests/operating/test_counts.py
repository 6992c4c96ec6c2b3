"""Counts wait for no disk."""

from __future__ import annotations

import pytest
from django.db import connection

from gemserver.accounts.models import RequestCount
from gemserver.inbox.models import MailCount

UNLOGGED = "u"


@pytest.mark.postgresql
@pytest.mark.django_db
def test_counts_are_kept_out_of_the_log_of_the_database() -> None:
    tables = [RequestCount._meta.db_table, MailCount._meta.db_table]
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, relpersistence FROM pg_class WHERE relname = ANY(%s)", [tables])
        assert dict(cursor.fetchall()) == dict.fromkeys(tables, UNLOGGED)
