"""A whole match on the real services: PostgreSQL, Redis, nginx, gunicorn, Celery worker and beat, SMTP both ways.

`make services-test` runs it; it is no part of the pytest suite.
"""
