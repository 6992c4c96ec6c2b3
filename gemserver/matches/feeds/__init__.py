"""Feeds for programs: a calendar of due moves, and news."""
