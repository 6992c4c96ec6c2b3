from typing import Any

from django.db import migrations
from django.utils import timezone

from gemserver.inbox.partitions import AHEAD, INBOX
from gemserver.lib.partitions.convert import divide


def divide_inbox(apps: Any, editor: Any) -> None:
    divide(INBOX, timezone.now(), AHEAD)


class Migration(migrations.Migration):
    """Mail that came in by months, on PostgreSQL."""

    atomic = False

    dependencies = [("inbox", "0003_mail_count"), ("notify", "0003_partitions")]

    operations = [migrations.RunPython(divide_inbox, migrations.RunPython.noop)]
