"""Texts by people: table talk, notes, reports."""
