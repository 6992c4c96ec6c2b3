"""Pages of clubs: the list, a club with its members, tables and news, and its forms."""
