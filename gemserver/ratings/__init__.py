"""Ratings: one per game and player, from the ranks of finished matches, which anybody can compute again."""
