"""The parts of `parse` and `reply`: pure functions from the bytes of a mail to what its sender typed."""
