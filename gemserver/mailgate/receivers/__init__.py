"""The ways in which mail reaches us; each ends in `ingest`."""
