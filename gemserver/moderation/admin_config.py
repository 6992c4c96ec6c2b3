"""Puts the moderators' site in the place of Django's own admin site."""

from django.contrib.admin.apps import SimpleAdminConfig


class ModerationAdminConfig(SimpleAdminConfig):
    """Without discovery: what other packages would put there changes addresses and shows sessions without a word."""

    default_site = "gemserver.moderation.site.ModerationSite"

    def ready(self) -> None:
        super().ready()
        from gemserver.moderation import admin  # noqa: F401
