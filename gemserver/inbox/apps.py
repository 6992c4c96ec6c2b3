from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class InboxConfig(AppConfig):
    name = "gemserver.inbox"
    verbose_name = _("Incoming mail")
