"""Quay, an example of a game for gemgames and a gemserver."""
