"""Tests of GEM itself; the tests that every game must pass are in `games.testing`."""
