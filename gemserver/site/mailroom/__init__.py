"""The mail room of the embedded server: every mail that went out, and answering it."""
