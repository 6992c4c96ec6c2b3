"""Matches: tables, seats, moves, and the one door through which every move goes."""
