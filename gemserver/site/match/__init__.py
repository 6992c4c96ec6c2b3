"""The page of a match and what is done on it."""
