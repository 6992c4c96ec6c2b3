"""Production's settings, with a clock that a test moves while the processes run (`tests.services.clock`).

Production cannot get such a clock: nothing in `gemserver` reads CLOCK_FILE, so only an environment that names this
module can; and this module refuses every MAIL_DOMAIN that could exist (RFC 6761 keeps .test free).
"""

from __future__ import annotations

import faulthandler
import os
import signal
from datetime import datetime
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from gemserver.lib import clock
from gemserver.settings import *  # noqa: F403
from tests.services.clock import VARIABLE, read_offset

if not MAIL_DOMAIN.endswith(".test"):  # noqa: F405
    raise ImproperlyConfigured("tests.services.settings are for tests; MAIL_DOMAIN must end in .test.")

_FILE = Path(os.environ[VARIABLE])
_machine_now = clock.now


def _moved_now() -> datetime:
    return _machine_now() + read_offset(_FILE)


clock.now = _moved_now
# For `tests.services.evidence`; children of the process inherit it.
faulthandler.register(signal.SIGUSR2, all_threads=True)
