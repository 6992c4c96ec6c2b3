"""Opening tables, inviting to them, sitting down."""
