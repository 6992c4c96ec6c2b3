"""German: `formats` is what Django looks for."""
