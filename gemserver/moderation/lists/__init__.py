"""The lists and detail pages of the moderators' site, a module for each kind of row."""
