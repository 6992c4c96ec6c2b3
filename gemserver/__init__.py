"""The Django project: play-by-email and asynchronous turns for five gem games."""
