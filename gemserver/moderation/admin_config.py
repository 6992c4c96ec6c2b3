"""Puts the moderators' site in the place of Django's own admin site."""

from django.contrib.admin.apps import AdminConfig


class ModerationAdminConfig(AdminConfig):
    default_site = "gemserver.moderation.site.ModerationSite"
