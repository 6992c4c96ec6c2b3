"""What a club, a site and a million matches need: from measured unit costs and assumptions (`docs/scaling.md`)."""
