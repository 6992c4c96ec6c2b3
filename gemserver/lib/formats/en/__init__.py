"""English; Django looks for a module `formats` in it."""
