"""How moves are divided on PostgreSQL: by ranges of matches.

A move's request id is unique together with its match, and so within the one partition that all moves of the match are
in. It needs no table of keys: a partition with a match that runs or waits for players is never dropped, and in a match
that is over a request is refused, whether it was known or not.
"""

from __future__ import annotations

from gemserver.lib.partitions.tables import Numbers, PartitionedTable

MOVES = PartitionedTable(
    name="matches_move",
    column="match_id",
    # 57 GB of moves. PostgreSQL locks every partition for a statement whose plan it keeps: let there be few.
    step=Numbers(1_000_000),
    unfinished=(
        "SELECT FROM matches_match WHERE status IN ('open', 'running') "
        "AND id BETWEEN (SELECT min(match_id) FROM {partition}) AND (SELECT max(match_id) FROM {partition})"
    ),
)
AHEAD = 1
"""Ranges for which partitions are made ahead."""
