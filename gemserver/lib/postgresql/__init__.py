"""Django's backend of PostgreSQL with bounds on waiting, and plans made anew after a migration."""
