from django.db import migrations, models


class Migration(migrations.Migration):
    """The letters that names are taken for; those of earlier names are written by the task that writes their keys."""

    dependencies = [("accounts", "0012_mutes")]

    operations = [
        migrations.AddField(
            model_name="namekey",
            name="look",
            field=models.CharField(
                db_default="",
                default="",
                help_text="of a whole name: the letters it is taken for",
                max_length=800,
            ),
        ),
        migrations.AddIndex(
            model_name="namekey",
            index=models.Index(
                condition=models.Q(("is_whole", True)), fields=["look"], name="name_look"
            ),
        ),
    ]
