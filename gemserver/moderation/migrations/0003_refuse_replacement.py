"""SQLite deletes what `INSERT OR REPLACE` replaces without a word to triggers that refuse DELETE."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

REFUSE = """
CREATE TRIGGER moderation_audit_no_replace BEFORE INSERT ON moderation_auditentry
WHEN EXISTS (
    SELECT 1 FROM moderation_auditentry WHERE number = NEW.number OR request_key = NEW.request_key
)
BEGIN SELECT RAISE(ABORT, 'the audit log is never changed (REPLACE)'); END
"""


def forbid(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(REFUSE)


def allow(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER moderation_audit_no_replace")


class Migration(migrations.Migration):
    dependencies = [("moderation", "0002_refuse_changes")]

    operations = [migrations.RunPython(forbid, allow)]
