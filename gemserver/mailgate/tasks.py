from __future__ import annotations

from gemserver.celery import LONGEST_RUN, app
from gemserver.mailgate import processing


@app.task
def read_mail() -> None:
    """Read and carry out the mails that wait, in order of receipt, for a while."""
    processing.process_stored(LONGEST_RUN)
