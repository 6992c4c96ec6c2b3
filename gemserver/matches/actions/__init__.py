"""What can be done with tables and matches: one file per verb, each one transaction."""
