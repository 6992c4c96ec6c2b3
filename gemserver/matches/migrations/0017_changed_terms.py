from django.db import migrations, models


class Migration(migrations.Migration):
    """Hosts change the terms of a table that waits, and remove players."""

    dependencies = [
        ('matches', '0016_waiting_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='match',
            name='terms_changes',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='how often its host has changed the terms while it waited'),
        ),
        migrations.AddField(
            model_name='seat',
            name='has_agreed',
            field=models.BooleanField(db_default=True, default=True, help_text='to the terms of the table as they are now'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='state',
            field=models.CharField(choices=[('open', 'waiting for an answer'), ('accepted', 'accepted'), ('declined', 'declined'), ('withdrawn', 'withdrawn'), ('removed', 'removed from the table')], default='open', max_length=10),
        ),
    ]
