from __future__ import annotations

from gemserver.celery import LONGEST_RUN, app
from gemserver.notify import channel_delivery, delivery

CHANNELS_RUN = LONGEST_RUN / 2
"""One receiver that hangs takes as long again."""


@app.task
def send_mail() -> None:
    """Send mails of the outbox, for a limited time."""
    delivery.send_queued(LONGEST_RUN)


@app.task
def send_to_channels() -> None:
    """Tell by other channels than mail, for a limited time."""
    channel_delivery.send_queued(CHANNELS_RUN)
