"""The web site: pages, forms and feeds, which translate between a browser and the actions."""
