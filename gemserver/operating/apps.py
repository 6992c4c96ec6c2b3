from django.apps import AppConfig


class OperatingConfig(AppConfig):
    name = "gemserver.operating"
    verbose_name = "operating"
