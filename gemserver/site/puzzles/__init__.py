"""Pages of the puzzle of the day."""
