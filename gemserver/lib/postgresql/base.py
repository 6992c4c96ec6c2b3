"""Connections that know how long to wait, and statements whose plan a migration has outdated."""

from __future__ import annotations

from typing import Any

from django.db import Error
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper

from gemserver.lib.database_faults import is_outdated_plan
from gemserver.lib.patience import patience


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, but for these two."""

    has_written = False
    """Whether something may have been changed for good since somebody has set this to False."""

    def get_connection_params(self) -> dict[str, Any]:
        """With this process's patience, which options in DATABASE_URL overrule.

        Not behind a pooler, which shares connections among processes and refuses such options.
        """
        params: dict[str, Any] = super().get_connection_params()
        if params["prepare_threshold"] is not None:
            params["options"] = f"{patience().options} {params.get('options', '')}".strip()
        return params

    def make_cursor(self, cursor: Any) -> CursorWrapper:
        return Cursor(cursor, self)

    def _commit(self) -> None:
        self.has_written = True
        super()._commit()  # type: ignore[misc]


class Cursor(CursorWrapper):
    """Has a statement planned anew whose columns a migration has changed (“cached plan must not change result type”).

    Only where the statement is a transaction by itself, and has therefore done nothing; in a longer one all of it must
    be done again, which only its caller can.
    """

    def _execute(self, sql: Any, params: Any, *context: Any) -> Any:
        if not self.db.get_autocommit():
            return super()._execute(sql, params, *context)  # type: ignore[misc]
        if not str(sql).startswith("SELECT"):
            self.db.has_written = True
        try:
            return super()._execute(sql, params, *context)  # type: ignore[misc]
        except Error as error:
            if not is_outdated_plan(error):
                raise
        super()._execute("DEALLOCATE ALL", None, *context)  # type: ignore[misc]
        return super()._execute(sql, params, *context)  # type: ignore[misc]
