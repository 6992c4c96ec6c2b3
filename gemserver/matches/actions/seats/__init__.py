"""Holding a seat: sitters, substitutes, reply addresses."""
