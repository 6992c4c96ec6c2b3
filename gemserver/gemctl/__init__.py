"""`gemctl`: sets up, examines, backs up and upgrades a server. Standard library only, as it works before and beside it.

What needs the server's tables is a command of `manage.py`, which gemctl runs with the right settings and user.
"""
