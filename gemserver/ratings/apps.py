from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "gemserver.ratings"
    verbose_name = "ratings"
