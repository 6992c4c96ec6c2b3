from django.apps import AppConfig


class StudyConfig(AppConfig):
    name = "gemserver.study"
    verbose_name = "study"
