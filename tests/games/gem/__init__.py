"""Tests of GEM itself; what every game must pass stands in `tests.games.test_conformance`."""
