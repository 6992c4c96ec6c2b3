from django.apps import AppConfig


class MailgateConfig(AppConfig):
    name = "gemserver.mailgate"
    verbose_name = "incoming mail"
