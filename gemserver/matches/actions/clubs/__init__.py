"""Actions about clubs: who belongs to them, what they say about themselves, and their news."""
