"""The mail gateway: receives mail, reads the commands in it, and carries them out."""
