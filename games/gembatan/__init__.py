"""Gembatan, tiles and gems in diagonal chains (Don Reid)."""
