"""Pages of the tutorials."""
