"""How mail that came in is divided on PostgreSQL: by the month of its receipt."""

from __future__ import annotations

from gemserver.lib.partitions.tables import Months, OnceOnly, PartitionedTable

INBOX = PartitionedTable(
    name="inbox_inboundemail",
    column="received_at",
    step=Months(),
    # A held mail waits for consent as long as its text is there to be read. An answer that waits to be sent is written
    # from the row of the mail that it answers.
    unfinished=(
        "SELECT FROM {partition} WHERE state = 'stored' UNION ALL "
        "SELECT FROM {partition} WHERE state = 'held' AND raw IS NOT NULL UNION ALL "
        "SELECT FROM notify_outboxmessage answer JOIN {partition} mail "
        "ON mail.id = (answer.data ->> 'inbound')::bigint WHERE answer.state = 'queued'"
    ),
    once=OnceOnly("key", "inbox_inboundkey", refused_as="inbound_key"),
)
"""Keys of mails are kept for good: the address of an account has no end, so that any mail to it may be sent again."""
AHEAD = 3
"""Months for which partitions are made ahead."""
