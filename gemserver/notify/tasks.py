from __future__ import annotations

from gemserver.celery import LONGEST_RUN, app
from gemserver.notify import delivery


@app.task
def send_mail() -> None:
    """Send mails of the outbox, for a limited time."""
    delivery.send_queued(LONGEST_RUN)
