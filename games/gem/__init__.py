"""GEM, a once-around auction with investments (Chris Handy)."""
