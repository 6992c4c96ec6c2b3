"""Sessions in the database, read by a prepared query: every request of who is signed in begins with it."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import CharField, DateTimeField
from django.utils import timezone

from gemserver.lib.database.prepared import Param, Prepared


class SessionStore(db.SessionStore):
    """Django's own, except for how a session is read."""

    def _get_session_from_db(self) -> Session | None:
        for session in _alive(key=self.session_key, now=timezone.now()):
            return session
        self._session_key = None
        return None


_alive = Prepared(
    lambda: Session.objects.filter(
        session_key=Param("key", CharField()), expire_date__gt=Param("now", DateTimeField())
    )
)
