from datetime import datetime, time, timezone
from typing import Any

from django.db import migrations, models
from django.utils import timezone as django_timezone


def remind_of_present_ones(apps: Any, editor: Any) -> None:
    """By UTC: whoever acts on it looks at the player's zone."""
    vacations = apps.get_model("accounts", "Vacation").objects
    for vacation in vacations.filter(last__gt=django_timezone.now().date()):
        vacation.remind_at = datetime.combine(vacation.last, time.min, tzinfo=timezone.utc)
        vacation.save(update_fields=["remind_at"])


class Migration(migrations.Migration):
    """Players are told the day before their clocks run again."""

    dependencies = [("accounts", "0008_request_count")]

    operations = [
        migrations.AddField(
            model_name="vacation",
            name="remind_at",
            field=models.DateTimeField(
                help_text="when its player is to be told that it ends; none: decided, or ended by the player",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="vacation",
            index=models.Index(
                condition=models.Q(("remind_at__isnull", False)), fields=["remind_at"], name="vacation_remind"
            ),
        ),
        migrations.RunPython(remind_of_present_ones, migrations.RunPython.noop),
    ]
