"""A library of table games played in turns, five games of gems among them: pure Python, without Django or a server."""
