from django.db import migrations


def put_numbers(apps, schema_editor):
    """The line about a mail that was sent again named its reader, also after the account had another name or none."""
    find = apps.get_model("accounts", "User").objects.filter
    for notice in apps.get_model("matches", "Notice").objects.filter(kind="mail-again"):
        user = find(username=notice.data["name"]).first()
        notice.data["name"] = user.pk if user else 0
        notice.save(update_fields=["data"])


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('matches', '0014_sitters_addresses'),
    ]

    operations = [migrations.RunPython(put_numbers, migrations.RunPython.noop)]
