from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0018_closed_reports'),
    ]

    operations = [
        # Without a default first, so that seats of before count nothing as new until their players look.
        migrations.AddField(
            model_name='seat',
            name='talk_seen',
            field=models.BigIntegerField(help_text='the newest message of the talk when its player last looked at it; none: not noted yet', null=True),
        ),
        migrations.AlterField(
            model_name='seat',
            name='talk_seen',
            field=models.BigIntegerField(default=0, help_text='the newest message of the talk when its player last looked at it; none: not noted yet', null=True),
        ),
        migrations.AlterField(
            model_name='seat',
            name='seen_at',
            field=models.DateTimeField(help_text='when its player last looked at their turn', null=True),
        ),
    ]
