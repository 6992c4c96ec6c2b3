"""A Django project with one view: it locks a row, inserts one and updates one. What a move is measured beside."""
