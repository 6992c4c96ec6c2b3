from django.apps import AppConfig


class PuzzlesConfig(AppConfig):
    name = "gemserver.puzzles"
    verbose_name = "puzzles"
