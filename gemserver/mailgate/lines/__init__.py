"""What a line of a mail says: a command, a move, a wish in people's own words, or nothing."""
