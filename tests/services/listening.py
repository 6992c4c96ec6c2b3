"""`python -m tests.services.listening`: the waiting process, but it never looks at the rows.

Whatever it tells, it was told of by Redis.
"""

from __future__ import annotations

import os

import django
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
django.setup()

from gemserver.waiting import news  # noqa: E402

news.SWEEP_SECONDS = 3600
call_command("waiting")
