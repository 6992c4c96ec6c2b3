"""Measures how strong the computer players are."""
