"""Tests of Jewellers itself; what every game must pass stands in `tests.games.conformance`."""
