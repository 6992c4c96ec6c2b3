"""Boards as pictures, and the templates that draw them."""
