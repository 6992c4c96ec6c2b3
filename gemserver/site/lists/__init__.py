"""The first page, lists of tables and matches, and pages of players and rules."""
