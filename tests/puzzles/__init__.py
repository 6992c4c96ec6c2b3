"""Puzzles: how they are found, that an independent search solves them alike, and what players see of them."""
