"""Workers make and drop partitions although the tables are not theirs, and back up all of them."""

from __future__ import annotations

import psycopg
import pytest

from tests.services.conftest import Services
from tests.services.daemons import SERVER

pytestmark = pytest.mark.slow

KEEP = """
from datetime import datetime, timedelta, UTC
from gemserver.notify.models import OutboxMessage
from gemserver.operating import partitions
at = datetime.now(UTC) + timedelta(days=200)
OutboxMessage.objects.create(
    kind="turn", dedup_key="old", message_id="<old>", state="sent", created_at=at, available_at=at
)
print(*partitions.keep(at).made)
print(*partitions.keep(at + timedelta(days=600), is_right=True).dropped)
print(OutboxMessage.objects.count())
"""


MIGRATE_TO_BEFORE = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
before = {"notify": "0002_channels", "inbox": "0003_mail_count", "matches": "0009_hard_bots"}
executor = MigrationExecutor(connection)
leaves = executor.loader.graph.leaf_nodes()
executor.migrate([(app, before.get(app, name)) for app, name in leaves])
"""
RIGHTS = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO gem"


@pytest.fixture(scope="module")
def server(services: Services) -> Services:
    """As it runs on while its tables are divided, and before `deploy/roles.sql` is run again."""
    services.run(MIGRATE_TO_BEFORE)
    with psycopg.connect(services.postgres.dsn()) as connection:
        connection.execute(RIGHTS)
    services.manage("migrate", "--verbosity", "0")
    environment = {**services.environment, "DATABASE_URL": services.postgres.server_url}
    return Services(services.folder, services.postgres, services.redis, environment)


def test_the_server_s_role_makes_fills_and_drops_partitions(server: Services) -> None:
    made, dropped, left = server.run(KEEP).splitlines()
    assert "notify_outboxmessage_default" not in dropped
    assert len(made.split()) >= 8
    assert set(dropped.split()) >= {"notify_outboxmessage_before", "inbox_inboundemail_before"}
    assert left == "0"


def test_the_server_s_role_reads_what_it_has_made_for_a_backup(server: Services) -> None:
    server.manage("keep_partitions")
    server.postgres.grant()
    server.manage("backup", str(server.folder / "gem.gembackup"))


def test_the_server_s_role_can_neither_drop_a_table_nor_call_for_one(server: Services) -> None:
    with psycopg.connect(server.postgres.dsn().replace("gem_owner", SERVER), autocommit=True) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DROP TABLE notify_outboxmessage_default")
        found = connection.execute("SELECT notify_outboxmessage_drop('moderation_auditentry')").fetchone()
    assert found == (False,)
