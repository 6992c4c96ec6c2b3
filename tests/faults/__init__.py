"""What may go wrong, done on purpose to the real thing while people play: `make fault`, no part of the pytest suite."""
