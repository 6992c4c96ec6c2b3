"""French: `formats` is what Django looks for."""
