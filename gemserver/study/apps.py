from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StudyConfig(AppConfig):
    name = "gemserver.study"
    verbose_name = _("Study")
