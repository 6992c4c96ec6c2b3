"""Opening a table, joining, inviting, leaving."""
