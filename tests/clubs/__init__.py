"""Clubs: privacy, members, tables, pages and mail."""
