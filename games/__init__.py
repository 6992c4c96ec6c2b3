"""Pure-Python rules of the five gem games: no Django, no clock, no files, no global random."""
