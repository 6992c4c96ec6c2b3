"""Tests of Jewellers itself; the tests that every game must pass are in `games.testing`."""
