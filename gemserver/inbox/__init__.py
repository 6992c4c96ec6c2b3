"""Mail that came in: rows, the results of their lines, and one-time codes."""
