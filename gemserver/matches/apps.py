from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MatchesConfig(AppConfig):
    name = "gemserver.matches"
    verbose_name = _("Matches")

    def ready(self) -> None:
        from gemserver.matches.offered.offered_games import offer_games

        offer_games()
