from django.apps import AppConfig


class NotifyConfig(AppConfig):
    name = "gemserver.notify"
    verbose_name = "outgoing mail"
