from __future__ import annotations

from gemserver.celery import LONGEST_RUN, app
from gemserver.mailgate import processing


@app.task
def read_mail() -> None:
    """Read and carry out waiting mails, in order of receipt, for a limited time."""
    processing.process_stored(LONGEST_RUN)
