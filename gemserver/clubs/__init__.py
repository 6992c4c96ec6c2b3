"""Clubs: people who play among themselves, and who may see what they do."""
