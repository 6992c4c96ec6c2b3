"""Nim, to be played with gemgames and on a gemserver."""
