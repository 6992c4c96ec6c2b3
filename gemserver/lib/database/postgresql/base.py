"""Connections with this process's patience, and statements that are planned again after a migration."""

from __future__ import annotations

from typing import Any

from django.db import Error
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper

from gemserver.lib.database.database_faults import is_outdated_plan
from gemserver.lib.database.patience import patience


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, with these two additions."""

    has_written = False
    """True if something may have been changed for good since somebody set this to False."""

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters with this process's patience; options in DATABASE_URL win.

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
    """Plans a statement again whose columns a migration has changed (“cached plan must not change result type”).

    Only if the statement is a transaction by itself and has therefore done nothing. A longer transaction must be run
    again as a whole, which only its caller can do.
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
