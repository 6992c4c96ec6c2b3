"""Events: seasons of leagues and tournaments, their divisions, fixtures and standings."""
