from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "gemserver.accounts"
    verbose_name = "accounts"
