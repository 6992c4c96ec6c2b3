"""The log of a match: moves and notices, in order, as one reader may see them."""
