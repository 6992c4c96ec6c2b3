"""Celery's Redis transport without acknowledgements and with short queues: a delivered message is done with.

A message is only a nudge, and the work is a row that a sweep finds again, so nothing is gained when Redis keeps a
message until its task has ended. Much was lost by it: with kombu 5.7, a worker whose acknowledgement met a silent Redis
counted the message as its own for ever, and two such messages left it deaf; when Redis went away under it, it died of
an AttributeError. `worker_disable_prefetch` bounds how many tasks a worker takes at once.

For the same reason a queue keeps its newest messages alone. While a relay hung, mails kept the workers so long that
every look at the clocks waited beyond its time; a worker threw away one outdated message at each turn, more came than
it threw away, and no clock was looked after any more.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis

from gemserver.schedule import WAITING


class QoS(redis.QoS):
    """Keeps no list of delivered and unacknowledged messages."""

    restore_at_shutdown = False

    def append(self, message: Any, delivery_tag: str) -> None:
        """Remember nothing: nobody acknowledges the message."""

    def ack(self, delivery_tag: str) -> None:
        """Do not tell Redis."""

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Do not tell Redis either: the row is still there."""

    def restore_visible(self, *args: Any, **kwargs: Any) -> None:
        """Deliver nothing again."""


class Channel(redis.Channel):
    QoS = QoS

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        super()._put(queue, message, **kwargs)
        with self.conn_or_acquire() as client:
            client.ltrim(queue, 0, WAITING - 1)


class Transport(redis.Transport):
    Channel = Channel
