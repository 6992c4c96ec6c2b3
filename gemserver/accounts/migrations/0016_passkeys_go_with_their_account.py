from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_with_the_account(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Let PostgreSQL delete passkeys with their account: the version before, which knows of none, erases accounts too."""
    if editor.connection.vendor != "postgresql":
        return
    with editor.connection.cursor() as cursor:
        found = editor.connection.introspection.get_constraints(cursor, "mfa_authenticator")
    old = [name for name, about in found.items() if about["foreign_key"]]
    drops = "".join(f"DROP CONSTRAINT {editor.quote_name(name)}, " for name in old)
    editor.execute(
        f"ALTER TABLE mfa_authenticator {drops}ADD CONSTRAINT passkey_of_account FOREIGN KEY (user_id) "
        "REFERENCES accounts_user (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
    )


class Migration(migrations.Migration):
    """The foreign key of allauth's table of passkeys, as CONTRIBUTING.md asks of new ones to old tables."""

    dependencies = [
        ("accounts", "0015_accounts_erased_by_the_former_version"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunPython(delete_with_the_account, migrations.RunPython.noop)]
