"""A person's choices for all matches: blocks, channels, feeds."""
