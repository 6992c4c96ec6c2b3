"""What is done in a running match: moves, plans, undo, resigning, the end."""
