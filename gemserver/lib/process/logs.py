"""Formats of log lines: JSON in production, text elsewhere; each names what it is about, none holds a secret.

The formatters redact, not a filter: only they see the whole line, with its exception and everything given as extra.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

from gemserver.lib.text.redaction import redact_log
from gemserver.lib.web.safe_path import safe_path

_subject: ContextVar[Mapping[str, str | int]] = ContextVar("subject", default={})  # noqa: B039 never written to


@contextmanager
def about(**ids: str | int) -> Iterator[None]:
    """Add these ids to every line that is logged within: `about(mail=17)`."""
    before = _subject.set({**_subject.get(), **ids})
    try:
        yield
    finally:
        _subject.reset(before)


def subject() -> dict[str, str | int]:
    """The ids of the work in hand: those of `about`, and of the task in a worker."""
    # Not imported: a process without Celery runs no task and need not load it just for its log lines.
    celery = sys.modules.get("celery")
    current_task = getattr(celery, "current_task", None)
    if current_task and current_task.request.id:
        return {"task": current_task.name, "task_id": current_task.request.id, **_subject.get()}
    return dict(_subject.get())


class JsonLine(JsonFormatter):
    """One JSON object per line."""

    def __init__(self) -> None:
        super().__init__(
            "{levelname}{name}{message}",
            style="{",
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
            timestamp="time",
            # `request` would be the whole request, cookies included.
            reserved_attrs=[*RESERVED_ATTRS, "request", "taskName"],
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        first = {key: log_data.pop(key) for key in ("time", "level", "logger") if key in log_data}
        return {**first, **{key: _clean(value) for key, value in (subject() | log_data).items()}}

    def format(self, record: logging.LogRecord) -> str:
        return super().format(_without_address(record))


class TextLine(logging.Formatter):
    """A line for people, with the ids in brackets."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 the name is logging's
        ids = " ".join(f"{name}={value}" for name, value in subject().items())
        return super().formatMessage(record) + (f" [{ids}]" if ids else "")

    def format(self, record: logging.LogRecord) -> str:
        return redact_log(super().format(_without_address(record)))


def _clean(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return redact_log(str(value))


def _without_address(record: logging.LogRecord) -> logging.LogRecord:
    """The record of a request that Django logs, with a path that gives nothing away."""
    request = getattr(record, "request", None)
    path = getattr(request, "path", None)
    if request is None or not path or not record.args:
        return record
    changed = logging.makeLogRecord(record.__dict__)
    changed.msg, changed.args = record.getMessage().replace(path, safe_path(request)), None
    return changed
