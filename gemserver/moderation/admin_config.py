"""Replaces Django's own admin site by the moderators' site."""

from django.contrib.admin.apps import SimpleAdminConfig


class ModerationAdminConfig(SimpleAdminConfig):
    """Without autodiscovery, because other packages' pages would change addresses and show sessions unaudited."""

    default_site = "gemserver.moderation.site.ModerationSite"

    def ready(self) -> None:
        super().ready()
        from gemserver.moderation import admin  # noqa: F401
