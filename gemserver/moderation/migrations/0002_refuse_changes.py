"""Triggers that refuse UPDATE and DELETE of audit entries, on PostgreSQL and on SQLite."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

POSTGRESQL = (
    """
    CREATE FUNCTION moderation_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the audit log is never changed (%)', TG_OP;
    END $$
    """,
    """
    CREATE TRIGGER moderation_audit_unchanged BEFORE UPDATE OR DELETE ON moderation_auditentry
    FOR EACH ROW EXECUTE FUNCTION moderation_audit_refuse()
    """,
)
SQLITE = tuple(
    f"""
    CREATE TRIGGER moderation_audit_no_{event} BEFORE {event.upper()} ON moderation_auditentry
    BEGIN SELECT RAISE(ABORT, 'the audit log is never changed ({event.upper()})'); END
    """
    for event in ("update", "delete")
)


def forbid(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in _statements(schema_editor):
        schema_editor.execute(statement, params=None)  # its % is no placeholder


def allow(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER moderation_audit_unchanged ON moderation_auditentry")
        schema_editor.execute("DROP FUNCTION moderation_audit_refuse()")
        return
    schema_editor.execute("DROP TRIGGER moderation_audit_no_update")
    schema_editor.execute("DROP TRIGGER moderation_audit_no_delete")


def _statements(schema_editor: BaseDatabaseSchemaEditor) -> tuple[str, ...]:
    match schema_editor.connection.vendor:
        case "postgresql":
            return POSTGRESQL
        case "sqlite":
            return SQLITE
        case vendor:
            raise NotImplementedError(f"there are no triggers for the audit log on {vendor}")


class Migration(migrations.Migration):
    dependencies = [("moderation", "0001_initial")]

    operations = [migrations.RunPython(forbid, allow)]
