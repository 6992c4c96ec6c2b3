"""Celery's Redis transport without acknowledgements: a message that was delivered is done with.

A message is only a nudge, and the work is a row that a sweep finds again, so nothing is gained when Redis keeps a
message until its task has ended. Much was lost by it: with kombu 5.7, a worker whose acknowledgement met a silent Redis
counted the message as its own for ever, and two such messages left it deaf; when Redis went away under it, it died of
an AttributeError. `worker_disable_prefetch` bounds how many tasks a worker takes at once.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis


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


class Transport(redis.Transport):
    Channel = Channel
