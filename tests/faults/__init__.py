"""Accidents caused on purpose to the real server while people play: `make fault`, no part of the pytest suite."""
