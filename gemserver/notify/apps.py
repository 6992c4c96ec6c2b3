from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NotifyConfig(AppConfig):
    name = "gemserver.notify"
    verbose_name = _("Outgoing mail")
