"""Texts that people and programs write: cleaned, laid out, compared, kept from sight."""
