from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RatingsConfig(AppConfig):
    name = "gemserver.ratings"
    verbose_name = _("Ratings")
