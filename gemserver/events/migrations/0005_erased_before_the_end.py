from django.db import migrations


def withdraw_erased(apps, schema_editor):
    """Players whose accounts were erased before a season ended stand last in it: from now on they have withdrawn.

    Those who stand above somebody who stayed were erased later.
    """
    entries = apps.get_model("events", "Entry").objects
    for entry in entries.filter(player=None, withdrawn_at=None, final_place__isnull=False):
        below = entries.filter(division=entry.division_id, final_place__gt=entry.final_place)
        if not below.filter(player__isnull=False, withdrawn_at=None).exists():
            entries.filter(pk=entry.pk).update(withdrawn_at=entry.season.closed_at)


class Migration(migrations.Migration):

    dependencies = [
        ('events', '0004_replacement'),
    ]

    operations = [migrations.RunPython(withdraw_erased, migrations.RunPython.noop)]
