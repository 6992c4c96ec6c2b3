"""Actions in a running match: moves, plans, undo, resigning, the end."""
