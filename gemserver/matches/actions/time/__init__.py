"""Clocks: holidays, pauses, vacation, quiet hours, deadlines."""
