"""A Django project with one view, for comparison with a move: it locks a row, inserts one and updates one."""
