"""The first page, lists of tables and matches, players, rules."""
