from django.apps import AppConfig


class InboxConfig(AppConfig):
    name = "gemserver.inbox"
    verbose_name = "incoming mail"
