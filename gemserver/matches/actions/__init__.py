"""Actions on tables and matches: one file for each verb, each a single transaction."""
