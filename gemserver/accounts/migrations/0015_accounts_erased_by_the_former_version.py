import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """The version before, which does not know this table, may erase accounts that stand in it."""

    dependencies = [
        ('accounts', '0014_over_mutes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='mute',
            name='user',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='mutes', to=settings.AUTH_USER_MODEL),
        ),
    ]
