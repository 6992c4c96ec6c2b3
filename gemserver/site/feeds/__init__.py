"""Calendar and news feeds of one player."""
