"""Shared tests for every game, a plugin of pytest: `pip install gemgames[testing]`, `pytest --game nim.game`."""
