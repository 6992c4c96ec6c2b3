"""Tests of Gembatan."""
