"""The match of two that the mail tests have."""

from tests.mailgate.conftest import match, player, seat

__all__ = ["match", "player", "seat"]
