"""Tests of GEM itself; what every game must pass stands in `tests.games.conformance`."""
