"""Lines in the log of a match that are no moves: what happened to its clocks, and what the table agreed on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop

from gemserver.matches.models import Match, Notice

SENTENCES: Mapping[str, str] = {
    "downtime": gettext_noop(
        "The server was down from %(start)s to %(end)s. That time counts on nobody's clock."
    ),
    "mail-down": gettext_noop(
        "The server cannot send mail since %(start)s. All clocks stand still until it can again."
    ),
    "mail-back": gettext_noop(
        "The server could not send mail from %(start)s to %(end)s. That time counts on nobody's clock."
    ),
    "paused": gettext_noop("The match is paused: %(why)s All clocks stand still."),
    "resumed": gettext_noop("The pause is over; the clocks run again."),
}
"""What each kind says; its parameters stand in the notice's `data`, instants as ISO texts."""

_INSTANTS = frozenset({"start", "end"})


def post(match: Match, kind: str, key: str, *, now: datetime, **data: str | int) -> bool:
    """Write a line into the log; False when this key has been told already. The caller holds the match's lock."""
    _, is_new = Notice.objects.get_or_create(
        match=match, key=key, defaults={"ply": match.ply, "kind": kind, "data": data, "created_at": now}
    )
    return is_new


def sentence(notice: Notice) -> str:
    """The notice in the active language, times in the active zone."""
    shown = {
        name: _show_instant(value) if name in _INSTANTS else value for name, value in notice.data.items()
    }
    return gettext(SENTENCES[notice.kind]) % shown


def _show_instant(iso: str) -> str:
    return date_format(timezone.localtime(datetime.fromisoformat(iso)), "j M H:i")
