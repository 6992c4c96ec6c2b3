from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone

from gemserver.lib.partitions.convert import divide
from gemserver.notify.partitions import AHEAD, OUTBOX


def divide_outbox(apps: Any, editor: Any) -> None:
    divide(OUTBOX, timezone.now(), AHEAD)


class Migration(migrations.Migration):
    """The outbox by months, on PostgreSQL."""

    atomic = False

    dependencies = [("notify", "0002_channels")]

    operations = [
        # Dividing the table drops the foreign key; SQLite keeps it.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="deliveryevent",
                    name="message",
                    field=models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="delivery_events",
                        to="notify.outboxmessage",
                    ),
                )
            ]
        ),
        migrations.RunPython(divide_outbox, migrations.RunPython.noop),
    ]
