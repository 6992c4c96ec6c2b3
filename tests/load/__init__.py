"""The cost of the server under load, measured on real PostgreSQL. `make bench` runs it; no part of the pytest suite."""
