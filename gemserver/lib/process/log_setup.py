"""Configuration of logging; imports nothing, because settings and gunicorn read it before anything else."""

from __future__ import annotations

from typing import Any

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def configuration(*, as_json: bool, level: str) -> dict[str, Any]:
    """The argument for `logging.config.dictConfig`: everything to standard error, through one handler."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "gemserver.lib.process.logs.JsonLine"
                if as_json
                else "gemserver.lib.process.logs.TextLine"
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": {
            # aiosmtpd logs every command it reads, reply addresses included (mail-requirements.md A8).
            "mail.log": {"level": "WARNING"},
            # It logs the addresses that it asks, which are keys to other people's rooms; of one that answers with
            # a broken header as a warning, with all that came.
            "urllib3": {"level": "ERROR"},
            # The log of requests already has every 4xx and 5xx.
            "django.request": {"level": "ERROR"},
            "django.server": {"handlers": [], "propagate": True, "level": "WARNING"},
            # Django's own handlers would mail the administrators and write lines of another form.
            "django": {"handlers": [], "propagate": True},
            "gunicorn.error": {"handlers": ["console"], "propagate": False},
            # The sweeps would fill the log although nothing happens.
            "celery.beat": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            # Scanners send foreign Host headers all day; the answer 400 is all they are worth.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
        },
        "root": {"handlers": ["console"], "level": level},
    }
