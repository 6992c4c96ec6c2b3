import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Times in which a player may write nothing to others."""

    dependencies = [
        ('accounts', '0011_timed_bans'),
    ]

    operations = [
        migrations.CreateModel(
            name='Mute',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.TextField(help_text='what the person is told, and how to appeal', verbose_name='note')),
                ('since', models.DateTimeField(verbose_name='since')),
                ('until', models.DateTimeField(verbose_name='until')),
                ('lifted_at', models.DateTimeField(null=True, verbose_name='lifted')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mutes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'mute',
                'verbose_name_plural': 'mutes',
            },
        ),
    ]
