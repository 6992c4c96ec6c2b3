"""As little as Django needs: the database, no middleware, no templates, nobody signed in."""

from __future__ import annotations

import os

from gemserver.lib.process import env

SECRET_KEY = os.environ["SECRET_KEY"]
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS")
DATABASES = {"default": env.database(os.environ["DATABASE_URL"])}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["tests.load.bare"]
ROOT_URLCONF = "tests.load.bare.urls"
USE_TZ = True
CELERY_BROKER_URL = env.text("REDIS_URL", "memory://localhost/")
