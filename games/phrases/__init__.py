"""Reads moves as people say them, by phrases in files beside the code: `phrasing` is the way in."""
