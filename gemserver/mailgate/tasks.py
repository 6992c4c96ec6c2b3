from __future__ import annotations

from gemserver.celery import app
from gemserver.mailgate import processing


@app.task
def read_mail() -> None:
    """Read and carry out the mails that wait, in order of receipt."""
    processing.process_stored()
