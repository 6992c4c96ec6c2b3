"""Pages and pictures of matches for other sites: cookieless, and as anybody may see the match."""
