"""Opening a table, sitting down, inviting, leaving."""
