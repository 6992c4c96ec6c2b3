"""Triggers by which the audit log can be added to, and neither changed nor emptied, and the signed head of an empty log.

They name both tables: on SQLite, which makes a table anew to change it, a later migration of either has to drop all of
them first and make them again.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from gemserver.moderation.audit_keys import current_key

# `{schema}`: whoever may make temporary tables could else put one of the same name before ours.
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
    """
    CREATE FUNCTION moderation_audit_refuse_truncate() RETURNS trigger LANGUAGE plpgsql
    SET search_path = {schema}, pg_temp AS $$
    BEGIN
        IF EXISTS (SELECT FROM moderation_auditentry) OR EXISTS (SELECT FROM moderation_audithead WHERE number > 0)
        THEN
            RAISE EXCEPTION 'the audit log is never changed (TRUNCATE)';
        END IF;
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER moderation_audit_not_emptied BEFORE TRUNCATE ON moderation_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION moderation_audit_refuse_truncate()
    """,
    """
    CREATE TRIGGER moderation_audit_head_not_emptied BEFORE TRUNCATE ON moderation_audithead
    FOR EACH STATEMENT EXECUTE FUNCTION moderation_audit_refuse_truncate()
    """,
    """
    CREATE FUNCTION moderation_audit_head_appends() RETURNS trigger LANGUAGE plpgsql
    SET search_path = {schema}, pg_temp AS $$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            IF OLD.number = 0 THEN
                RETURN OLD;
            END IF;
        ELSIF TG_OP = 'INSERT' THEN
            IF NEW.id = 1 AND NEW.number = 0 AND NOT EXISTS (SELECT FROM moderation_auditentry) THEN
                RETURN NEW;
            END IF;
        ELSIF NEW.id = OLD.id AND NEW.number = OLD.number + 1 AND EXISTS (
            SELECT FROM moderation_auditentry
            WHERE number = NEW.number AND hash = NEW.hash AND previous = OLD.hash
        ) THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'the head of the audit log only follows new entries (%)', TG_OP;
    END $$
    """,
    """
    CREATE TRIGGER moderation_audit_head_follows BEFORE INSERT OR UPDATE OR DELETE ON moderation_audithead
    FOR EACH ROW EXECUTE FUNCTION moderation_audit_head_appends()
    """,
)
POSTGRESQL_UNDONE = (
    "DROP TRIGGER moderation_audit_head_follows ON moderation_audithead",
    "DROP FUNCTION moderation_audit_head_appends()",
    "DROP TRIGGER moderation_audit_head_not_emptied ON moderation_audithead",
    "DROP TRIGGER moderation_audit_not_emptied ON moderation_auditentry",
    "DROP FUNCTION moderation_audit_refuse_truncate()",
    "DROP TRIGGER moderation_audit_unchanged ON moderation_auditentry",
    "DROP FUNCTION moderation_audit_refuse()",
)

_UNCHANGED = "RAISE(ABORT, 'the audit log is never changed (%s)')"
_FOLLOWS = "RAISE(ABORT, 'the head of the audit log only follows new entries (%s)')"
SQLITE = {
    "moderation_audit_no_update": f"""
        BEFORE UPDATE ON moderation_auditentry BEGIN SELECT {_UNCHANGED % "UPDATE"}; END
    """,
    "moderation_audit_no_delete": f"""
        BEFORE DELETE ON moderation_auditentry BEGIN SELECT {_UNCHANGED % "DELETE"}; END
    """,
    "moderation_audit_no_replace": f"""
        BEFORE INSERT ON moderation_auditentry WHEN EXISTS (
            SELECT 1 FROM moderation_auditentry WHERE number = NEW.number OR request_key = NEW.request_key
        ) BEGIN SELECT {_UNCHANGED % "REPLACE"}; END
    """,
    "moderation_audit_head_appends": f"""
        BEFORE UPDATE ON moderation_audithead WHEN NOT (
            NEW.id = OLD.id AND NEW.number = OLD.number + 1 AND EXISTS (
                SELECT 1 FROM moderation_auditentry
                WHERE number = NEW.number AND hash = NEW.hash AND previous = OLD.hash
            )
        ) BEGIN SELECT {_FOLLOWS % "UPDATE"}; END
    """,
    "moderation_audit_head_stays": f"""
        BEFORE DELETE ON moderation_audithead WHEN OLD.number > 0 BEGIN SELECT {_FOLLOWS % "DELETE"}; END
    """,
    "moderation_audit_head_begins": f"""
        BEFORE INSERT ON moderation_audithead WHEN NEW.id <> 1 OR NEW.number <> 0
            OR EXISTS (SELECT 1 FROM moderation_audithead) OR EXISTS (SELECT 1 FROM moderation_auditentry)
        BEGIN SELECT {_FOLLOWS % "INSERT"}; END
    """,
}


def sign(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Sign the head of an empty log; one that is there already, after a step back, stays as it is."""
    key = current_key()
    signed = {"key": key.id, "signature": key.sign("head", b"0|")}
    apps.get_model("moderation", "AuditHead").objects.get_or_create(pk=1, defaults=signed)


def forbid(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    connection = schema_editor.connection
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT quote_ident(current_schema())")
            (schema,) = cursor.fetchone()
        for statement in POSTGRESQL:
            schema_editor.execute(statement.replace("{schema}", schema), params=None)  # its % is no placeholder
        return
    for name, rest in SQLITE.items():
        schema_editor.execute(f"CREATE TRIGGER {name} {rest}", params=None)


def allow(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for statement in POSTGRESQL_UNDONE:
            schema_editor.execute(statement)
        return
    for name in SQLITE:
        schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    dependencies = [("moderation", "0001_initial")]

    operations = [
        migrations.RunPython(sign, migrations.RunPython.noop),
        migrations.RunPython(forbid, allow),
    ]
