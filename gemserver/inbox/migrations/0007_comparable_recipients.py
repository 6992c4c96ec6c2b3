"""Write the recipients of mail that waits to be read in the form in which they are compared."""

from django.db import migrations, models

from gemserver.lib.mail_address import comparable


def write_comparable(apps, schema_editor):
    """Of mail that was read nobody compares them any more."""
    mails = apps.get_model("mailgate", "InboundEmail").objects.using(schema_editor.connection.alias)
    for pk, address in mails.filter(state="stored").values_list("pk", "envelope_to"):
        mails.filter(pk=pk).update(envelope_to=comparable(address.strip().strip("<>"))[:320])


class Migration(migrations.Migration):
    dependencies = [("mailgate", "0006_comparable_addresses")]

    operations = [
        migrations.AlterField(
            model_name="inboundemail",
            name="envelope_to",
            field=models.CharField(help_text="in its comparable form", max_length=320),
        ),
        migrations.RunPython(write_comparable, migrations.RunPython.noop),
    ]
