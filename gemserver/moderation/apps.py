from django.apps import AppConfig


class ModerationConfig(AppConfig):
    name = "gemserver.moderation"
    verbose_name = "moderation"
