"""The shipped examples, run against the server."""
