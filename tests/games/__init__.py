"""Tests of the rules library: they need neither Django nor a database."""
