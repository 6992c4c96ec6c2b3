from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "gemserver.matches"
    verbose_name = "matches"

    def ready(self) -> None:
        from gemserver.matches.offered.offered_games import offer_games

        offer_games()
