from django.db import migrations
from django.db.models import Case, When


def hand_on(apps, schema_editor):
    """Clubs whose owners were all shut before now get one: an organiser, else who has belonged to them longest."""
    members = apps.get_model("clubs", "Member").objects
    open_owners = members.filter(role="owner", user__is_active=True)
    clubs = apps.get_model("clubs", "Club").objects.filter(closed_at=None)
    for club in clubs.exclude(pk__in=open_owners.values("club")):
        rank = Case(When(role="organiser", then=0), default=1)
        heir = members.filter(club=club, user__is_active=True).order_by(rank, "joined_at", "pk").first()
        if heir is not None:
            members.filter(pk=heir.pk).update(role="owner")


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0004_opened_by'),
    ]

    operations = [migrations.RunPython(hand_on, migrations.RunPython.noop)]
