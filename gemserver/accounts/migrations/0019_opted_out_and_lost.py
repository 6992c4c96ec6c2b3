from django.db import migrations, models


class Migration(migrations.Migration):
    """Lets an address remember that its owner wants no invitations while mail to it comes back."""

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
