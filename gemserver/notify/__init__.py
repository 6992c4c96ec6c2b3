"""Outgoing mail as rows: written in the same commit as the change they report, then sent at least once."""
