from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "gemserver.matches"
    verbose_name = "matches"
