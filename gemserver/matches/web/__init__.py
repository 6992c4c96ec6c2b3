"""The web pages of matches: what a page shows (`*_page`), takes in (`*_forms`), and what its buttons do (`*_views`)."""
