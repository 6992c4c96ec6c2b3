import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """The version before, which does not know this table, may erase accounts that stand in it."""

    dependencies = [
        ('events', '0005_erased_before_the_end'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='replacement',
            name='by',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='replacement',
            name='entry',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='replacements', to='events.entry'),
        ),
        migrations.AlterField(
            model_name='replacement',
            name='former',
            field=models.ForeignKey(db_constraint=False, help_text='who had the entry when the newcomer was asked', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='replacement',
            name='newcomer',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='replacements', to=settings.AUTH_USER_MODEL),
        ),
    ]
