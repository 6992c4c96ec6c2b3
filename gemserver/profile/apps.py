from django.apps import AppConfig


class ProfileConfig(AppConfig):
    name = "gemserver.profile"
    verbose_name = "profile"
