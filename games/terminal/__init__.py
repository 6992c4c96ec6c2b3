"""`python -m games`: matches, lessons, puzzles and records in a terminal, in the reader's language."""
