from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "gemserver.site"
    verbose_name = "site"
