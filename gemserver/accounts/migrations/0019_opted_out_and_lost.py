from django.db import migrations, models


class Migration(migrations.Migration):
    """Who wants no invitations is remembered while mail to the address comes back."""

    dependencies = [("accounts", "0018_names_for_moderators")]

    operations = [
        migrations.AddField(
            model_name="unreachableaddress",
            name="opted_out",
            field=models.BooleanField(
                db_default=False, default=False, verbose_name="its owner wants no invitations"
            ),
        ),
    ]
