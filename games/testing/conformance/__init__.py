"""Tests that every game must pass, on one random match for each number of seats and option."""
