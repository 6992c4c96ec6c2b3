"""The exit statuses of all commands."""

FINE = 0
REFUSED = 1
"""A line is refused, or does not fit; or somebody left before the end."""
UNREADABLE = 2
"""There is no record, archive or list that can be read, or no game of this name."""
INCOMPLETE = 3
"""Nothing contradicts the rest of a record, but not all of it could be checked."""
