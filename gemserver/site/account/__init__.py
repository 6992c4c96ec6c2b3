"""A player's own account: signing up and in, times, notifications, export, erasure."""
