"""Budgets in hours within which 99 % of fixtures finish, by `tests.simulation.budgets`."""

from __future__ import annotations

NEEDED_HOURS: dict[tuple[str, int, bool], int] = {
    ("florentine", 2, False): 284,
    ("florentine", 3, False): 242,
    ("florentine", 4, False): 221,
    ("gem", 2, False): 270,
    ("gem", 2, True): 284,
    ("gem", 3, False): 272,
    ("gem", 3, True): 300,
    ("gem", 4, False): 263,
    ("gem", 4, True): 297,
    ("gembatan", 2, False): 276,
    ("gembatan", 3, False): 232,
    ("gembatan", 4, False): 208,
    ("gemessengers", 2, False): 255,
    ("gemessengers", 3, False): 270,
    ("gemessengers", 4, False): 278,
    ("gemessengers", 5, False): 288,
    ("jewellers", 2, False): 240,
    ("jewellers", 2, True): 223,
    ("jewellers", 3, False): 250,
    ("jewellers", 3, True): 232,
    ("jewellers", 4, False): 268,
    ("jewellers", 4, True): 241,
    ("jewellers", 5, False): 278,
    ("jewellers", 5, True): 246,
    ("jewellers", 6, False): 285,
    ("jewellers", 6, True): 246,
    ("jewellers", 7, False): 287,
    ("jewellers", 7, True): 250,
    ("jewellers", 8, False): 296,
    ("jewellers", 8, True): 253,
}
"""By game, seats, and whether orders are sealed."""
