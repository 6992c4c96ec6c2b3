"""The needs of a club, a site and a million matches, from measured unit costs and assumptions (`docs/scaling.md`)."""
