from __future__ import annotations

from gemserver.celery import LONGEST_RUN, app
from gemserver.notify import delivery


@app.task
def send_mail() -> None:
    """Send what the outbox holds, for a while."""
    delivery.send_queued(LONGEST_RUN)
