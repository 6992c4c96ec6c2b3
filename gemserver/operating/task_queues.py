"""Counts the messages that wait at the message broker."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

log = logging.getLogger(__name__)


def count_waiting_tasks(queues: Iterable[str] | None = None) -> int | None:
    """Count the tasks that no worker has taken yet, of these queues or of all; None if the broker does not answer."""
    counted = count_by_queue(queues)
    return None if counted is None else sum(counted.values())


def count_by_queue(queues: Iterable[str] | None = None) -> Mapping[str, int] | None:
    """Like `count_waiting_tasks`, for each queue."""
    # Imported here: web processes import this module too, and do without Celery until they nudge.
    from gemserver.celery import app

    names = list(app.amqp.queues if queues is None else queues)
    connection = app.connection_for_read()
    try:
        with connection:
            # Tries once, as a page waits for it: `connect` tries again after two seconds, `default_channel` for ever.
            connection.ensure_connection(max_retries=0, reraise_as_library_errors=False)
            channel = connection.channel()
            return {name: int(channel.queue_declare(queue=name).message_count) for name in names}
    except connection.connection_errors as error:
        log.warning("the broker does not answer: %s", type(error).__name__)
        return None
