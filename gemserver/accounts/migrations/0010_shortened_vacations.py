from django.db import migrations, models


class Migration(migrations.Migration):
    """Calendars take the new end of a vacation that was ended early."""

    dependencies = [("accounts", "0009_end_of_vacations")]

    operations = [
        migrations.AddField(
            model_name="vacation",
            name="shortened_at",
            field=models.DateTimeField(help_text="when its player ended it before its last day", null=True),
        ),
    ]
