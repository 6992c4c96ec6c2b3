"""How the outbox is divided on PostgreSQL: by the month in which a mail was queued."""

from __future__ import annotations

from gemserver.lib.partitions.tables import Months, OnceOnly, PartitionedTable

OUTBOX = PartitionedTable(
    name="notify_outboxmessage",
    column="created_at",
    step=Months(),
    # One that failed has been given up; when its month is dropped its matter has long passed.
    unfinished="SELECT FROM {partition} WHERE state = 'queued'",
    # `message_id` is made of the same parts, so that its own uniqueness needs no second table.
    once=OnceOnly("dedup_key", "notify_outboxkey"),
)
AHEAD = 3
"""Months for which partitions are made ahead."""
