"""Each request of a program writes its count, and commits it: on PostgreSQL that need not wait for the disk."""

from typing import Any

from django.db import migrations


def keep_out_of_the_log(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE accounts_tokencount SET UNLOGGED")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_archive")]

    operations = [migrations.RunPython(keep_out_of_the_log, migrations.RunPython.noop)]
