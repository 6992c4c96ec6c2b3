from __future__ import annotations

from gemserver.celery import app
from gemserver.notify import delivery


@app.task
def send_mail() -> None:
    """Send what the outbox holds."""
    delivery.send_queued()
