from django.db import migrations, models


class Migration(migrations.Migration):
    """Bans that end by themselves."""

    dependencies = [("accounts", "0010_shortened_vacations")]

    operations = [
        migrations.AddField(
            model_name="ban",
            name="until",
            field=models.DateTimeField(
                help_text="none: until a moderator lifts it", null=True, verbose_name="until"
            ),
        ),
        migrations.AddIndex(
            model_name="ban",
            index=models.Index(
                condition=models.Q(("lifted_at__isnull", True), ("until__isnull", False)),
                fields=["until"],
                name="ban_until",
            ),
        ),
    ]
