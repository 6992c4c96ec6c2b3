"""The mail room of the embedded server: every mail as its reader sees it, and a box to answer it."""
