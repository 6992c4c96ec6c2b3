"""Schedules, points, tie-breaks, bounds, pairings and budgets of events: plain Python, without Django or rows."""
