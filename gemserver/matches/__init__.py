"""Matches: tables, seats, moves, and `submit`, the one door for every move."""
