from django.db import migrations, models


def keep_former_lots(apps, schema_editor):
    """Seasons that have started drew their lots by the commitment."""
    seasons = apps.get_model("events", "Season").objects.exclude(started_at=None)
    seasons.update(lots=models.F("commitment"))


class Migration(migrations.Migration):

    dependencies = [
        ('events', '0002_deals'),
    ]

    operations = [
        migrations.AddField(
            model_name='season',
            name='lots',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='by which the numbers of players are drawn; made when entries are closed, and shown from then on', max_length=64),
        ),
        migrations.RunPython(keep_former_lots, migrations.RunPython.noop),
    ]
