from typing import Any

from django.db import migrations

from gemserver.lib.partitions.convert import divide
from gemserver.matches.partitions import AHEAD, MOVES


def divide_moves(apps: Any, editor: Any) -> None:
    newest = apps.get_model("matches", "Match").objects.order_by("-pk").values_list("pk", flat=True).first()
    divide(MOVES, newest or 0, AHEAD)


class Migration(migrations.Migration):
    """Moves by ranges of matches, on PostgreSQL."""

    atomic = False

    dependencies = [("matches", "0009_hard_bots")]

    operations = [migrations.RunPython(divide_moves, migrations.RunPython.noop)]
