"""Celery's Redis transport without acknowledgements: a message that was delivered is done with.

A message is only a nudge, and the work a row that a sweep finds again, so that nothing is won by Redis keeping a
message until its task has ended. Much was lost by it: with kombu 5.7 a worker whose acknowledgement met a Redis that
kept silent counted the message as its own for ever, and two of them left it deaf; when Redis went away under it, it
ended with an AttributeError. How many tasks a worker takes at once is bounded by `worker_disable_prefetch`.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis


class QoS(redis.QoS):
    """What of a channel is delivered and not acknowledged: nothing."""

    restore_at_shutdown = False

    def append(self, message: Any, delivery_tag: str) -> None:
        """Nobody asks for it again."""

    def ack(self, delivery_tag: str) -> None:
        """Redis is not told."""

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Nor of what a worker does not do: the row is still there."""

    def restore_visible(self, *args: Any, **kwargs: Any) -> None:
        """There is nothing to be delivered anew."""


class Channel(redis.Channel):
    QoS = QoS


class Transport(redis.Transport):
    Channel = Channel
