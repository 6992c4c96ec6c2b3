"""A search for texts that cost more than they should, instead of a list of those that once did."""
