"""The page of a match, and the views behind its buttons."""
