"""Work in the background: its queues, the queue of each task, and the tasks that are due at regular times.

Settings read this, so nothing here imports Celery or Django.
"""

from __future__ import annotations

from typing import Any

QUEUES = ("celery", "deadlines", "bots", "thinking", "read", "send", "channels", "ratings", "events")
WAITING = 100
"""Messages that wait in one queue at most; those that come first go first."""
ROUTES = {
    "gemserver.matches.tasks.act_on_deadlines": {"queue": "deadlines"},
    "gemserver.matches.tasks.play_bots": {"queue": "bots"},
    "gemserver.matches.tasks.play_hard_bots": {"queue": "thinking"},
    "gemserver.study.tasks.think": {"queue": "thinking"},
    "gemserver.puzzles.tasks.find_puzzles": {"queue": "thinking"},
    "gemserver.mailgate.tasks.read_mail": {"queue": "read"},
    "gemserver.ratings.tasks.rate_matches": {"queue": "ratings"},
    "gemserver.ratings.tasks.rate_all": {"queue": "ratings"},
    "gemserver.ratings.tasks.count_matches": {"queue": "ratings"},
    "gemserver.ratings.tasks.count_changed": {"queue": "ratings"},
    "gemserver.events.tasks.hold_events": {"queue": "events"},
    "gemserver.notify.tasks.send_mail": {"queue": "send"},
    "gemserver.notify.tasks.send_to_channels": {"queue": "channels"},
}

# These do not expire: those that wait are few (`lib/broker`), and each costs no more than a look.
_SWEEPS = {
    "send mail": "notify.tasks.send_mail",
    "send to channels": "notify.tasks.send_to_channels",
    "read mail": "mailgate.tasks.read_mail",
    "play bots": "matches.tasks.play_bots",
    "play hard bots": "matches.tasks.play_hard_bots",
    "think": "study.tasks.think",
    "act on deadlines": "matches.tasks.act_on_deadlines",
    "count matches": "ratings.tasks.count_matches",
    "rate matches": "ratings.tasks.rate_matches",
}
_HOURLY = {
    "take guests away": "matches.tasks.remove_guests",
    "end forgotten tables": "matches.tasks.end_forgotten_tables",
    "rate all matches": "ratings.tasks.rate_all",
    "count what has changed": "ratings.tasks.count_changed",
    "find stuck matches": "moderation.tasks.find_stuck_matches",
    "build the archive": "archive.tasks.build_archive",
    "forget old data": "operating.tasks.forget_old_data",
    "keep partitions": "operating.tasks.keep_partitions",
    # Due once a day; the other calls send what could not be sent.
    "tell the end of the audit log": "moderation.tasks.tell_end_of_audit_log",
}


def schedule(sweep_seconds: int, *, watches: bool) -> dict[str, dict[str, Any]]:
    """The schedule of Celery beat: sweeps every so many seconds, the other tasks at times of their own.

    `watches`: the server looks for trouble, too.
    """
    entries = {name: _entry(task, sweep_seconds) for name, task in _SWEEPS.items()}
    entries |= {name: _entry(task, 3600, expires=3600) for name, task in _HOURLY.items()}
    entries["hold events"] = _entry("events.tasks.hold_events", 60)
    entries["end timed bans"] = _entry("moderation.tasks.end_timed_bans", 60, expires=60)
    entries["pose puzzles"] = _entry("puzzles.tasks.pose_puzzles", 60, expires=60)
    entries["find puzzles"] = _entry("puzzles.tasks.find_puzzles", 60, expires=60)
    if watches:
        entries["look for trouble"] = _entry("operating.tasks.watch", 60, expires=60)
    return entries


def _entry(task: str, seconds: int, expires: int | None = None) -> dict[str, Any]:
    options = {} if expires is None else {"options": {"expires": expires}}
    return {"task": f"gemserver.{task}", "schedule": seconds, **options}
