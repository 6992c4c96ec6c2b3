from django.apps import AppConfig


class ClubsConfig(AppConfig):
    name = "gemserver.clubs"
    verbose_name = "clubs"
