"""What a person chooses for all matches: blocks, channels, feeds."""
