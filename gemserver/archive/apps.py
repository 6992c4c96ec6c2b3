from django.apps import AppConfig


class ArchiveConfig(AppConfig):
    name = "gemserver.archive"
    verbose_name = "archive"
