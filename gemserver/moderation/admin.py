"""All lists of the moderators' site, and none besides: they stand in `lists`."""

from django.contrib import admin
from django.contrib.auth.models import Group

from gemserver.moderation.lists import audit, incoming, matches, outgoing, people, talk

__all__ = ["audit", "incoming", "matches", "outgoing", "people", "talk"]

# Comes with Django's form for accounts; here the role decides, nobody is in a group.
admin.site.unregister(Group)
