"""The order in which a transaction locks rows, so that no two wait for each other."""

from __future__ import annotations

LIMIT = "lib.advisory_locks"
"""A limit against which rows are counted, for which there may be no row to lock."""

DECISION = "moderation.decisions"
"""A match about which a moderator decides, or all that is in no match."""

ORDER = (
    DECISION,
    "ratings.Pool",
    "events.Season",
    "events.Fixture",
    "events.Event",
    "clubs.Club",
    "matches.Match",
    "accounts.UnreachableAddress",
    "accounts.User",
    LIMIT,
    "inbox.InboundEmail",
    "archive.ArchiveMonth",
    "moderation.AuditHead",
)
"""Models, first to last; several rows of one of them in the order of their keys.

A row that this transaction has made itself may come at any time: nobody else sees it. What belongs to a match, such as
seats and invitations, is locked by nobody who does not hold the match. So nobody holds an account who waits for a
match, which may be held for long: all else that its player does goes on. A move waits for no account.
A season and a club are held meanwhile, as what is decided of them is decided of their tables: who sits there, and
what is played. `tests/lock_watch.py` holds every test to it.
"""
