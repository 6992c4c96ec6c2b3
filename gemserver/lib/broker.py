"""Celery's Redis transport, made to outlive a restart of Redis.

With kombu 5.7 a worker ends with an AttributeError when Redis goes away under it: either while it puts its
unacknowledged messages back, over the very connection that was lost, or when a task that was running at the time
ends and is acknowledged to a channel that was closed. Neither is needed here: a message is only a nudge, the work
is a row that a sweep finds again, and Redis delivers the message anew when its visibility time is over.
"""

from __future__ import annotations

from kombu.transport import redis


class QoS(redis.QoS):
    """What of a channel is delivered and not acknowledged."""

    restore_at_shutdown = False

    def ack(self, delivery_tag: str) -> None:
        if not self.channel.closed:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not self.channel.closed:
            super().reject(delivery_tag, requeue=requeue)  # type: ignore[no-untyped-call]


class Channel(redis.Channel):
    QoS = QoS


class Transport(redis.Transport):
    Channel = Channel
