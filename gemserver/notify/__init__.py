"""Outgoing mail as rows: written in the commit of what they tell, sent afterwards, at least once."""
