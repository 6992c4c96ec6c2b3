from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def keep_out_of_the_log(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE accounts_requestcount SET UNLOGGED")


class Migration(migrations.Migration):
    """Requests are counted by account and person: a new token began anew."""

    dependencies = [
        ("accounts", "0007_token_count_unlogged"),
    ]

    operations = [
        migrations.CreateModel(
            name="RequestCount",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("minute", models.BigIntegerField(help_text="its number since 1970")),
                ("used", models.PositiveIntegerField()),
                (
                    "person",
                    models.ForeignKey(
                        db_constraint=False,
                        help_text="whose account or bot it is",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "requests of an account",
                "verbose_name_plural": "requests of accounts",
            },
        ),
        migrations.RunPython(keep_out_of_the_log, migrations.RunPython.noop),
    ]
