"""Reads the lines of a mail: commands, moves, wishes in people's own words, and lines that ask for nothing."""
