"""Django's PostgreSQL backend with bounds on waiting, and plans made anew after a migration."""
