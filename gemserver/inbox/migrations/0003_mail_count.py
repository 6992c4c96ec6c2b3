from typing import Any

from django.db import migrations, models


def keep_out_of_the_log(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE inbox_mailcount SET UNLOGGED")


class Migration(migrations.Migration):
    """Counts for the limits of all receivers together."""

    dependencies = [("inbox", "0002_erase_ticket")]

    operations = [
        migrations.CreateModel(
            name="MailCount",
            fields=[
                (
                    "key",
                    models.BigIntegerField(
                        help_text="a keyed hash of what is counted", primary_key=True, serialize=False
                    ),
                ),
                ("used", models.PositiveIntegerField()),
                ("ends_at", models.DateTimeField(help_text="from then on counting begins anew")),
            ],
            options={
                "verbose_name": "count of mails",
                "verbose_name_plural": "counts of mails",
                "indexes": [models.Index(fields=["ends_at"], name="mail_count_ends")],
            },
        ),
        migrations.RunPython(keep_out_of_the_log, migrations.RunPython.noop),
    ]
