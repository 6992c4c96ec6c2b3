"""Write the addresses that are compared with those in mails in the form in which they are compared."""

from django.db import IntegrityError, migrations, transaction

from gemserver.lib.mail_address import comparable

COLUMNS = (
    ("account", "EmailAddress", "email"),
    ("accounts", "User", "email"),
    ("accounts", "Ban", "address"),
    ("accounts", "UnreachableAddress", "address"),
    ("matches", "Invitation", "address"),
    ("mailgate", "Ticket", "address"),
)


def write_comparable(apps, schema_editor):
    """An address that another row holds in this form already stays as it is, and is nobody's."""
    for app, model, column in COLUMNS:
        rows = apps.get_model(app, model).objects.using(schema_editor.connection.alias)
        for pk, address in rows.values_list("pk", column).iterator():
            if not address or comparable(address) == address:
                continue
            try:
                with transaction.atomic(using=schema_editor.connection.alias):
                    rows.filter(pk=pk).update(**{column: comparable(address)})
            except IntegrityError:
                pass


class Migration(migrations.Migration):
    dependencies = [
        ("mailgate", "0005_attention"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("accounts", "0008_never_seen"),
        ("matches", "0013_fewer_indexes"),
    ]

    operations = [migrations.RunPython(write_comparable, migrations.RunPython.noop)]
