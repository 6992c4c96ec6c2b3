"""Who holds a seat: sitters, substitutes, its address."""
