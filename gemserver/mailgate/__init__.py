"""The mail gateway: receives mail, reads the commands in it, and has them done."""
