"""`python -m tests.services.listening`: the waiting process, but it never looks at the rows.

Whatever it tells, it was told of by Redis. Two seconds in vain are a long wait.
"""

from __future__ import annotations

import os

import django
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
django.setup()

from gemserver.waiting import application, news  # noqa: E402

news.SWEEP_SECONDS = 3600
application.LONG = 2
call_command("waiting")
