"""The web site: pages, forms and feeds, each translating between a browser and the actions."""
