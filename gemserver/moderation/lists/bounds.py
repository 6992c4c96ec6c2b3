"""Keeps pages of lists as quick among a hundred million rows as among a thousand, by reading only the newest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import reverse_field_path
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import CharField, Field, Model, QuerySet
from django.http import HttpRequest

MOST_LISTED = 10_000
"""Rows of a list that are counted and can be paged to."""
NEWEST = 1000
"""Rows in which values for filters are looked for."""


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Paginates the first `MOST_LISTED` rows."""

    @cached_property
    def is_cut(self) -> bool:
        """True if there are rows after the last page."""
        return self._counted > MOST_LISTED

    @cached_property
    def count(self) -> int:
        return min(self._counted, MOST_LISTED)

    @cached_property
    def _counted(self) -> int:
        assert isinstance(self.object_list, QuerySet)
        return self.object_list.order_by()[: MOST_LISTED + 1].count()


class RecentValuesFilter(admin.AllValuesFieldListFilter):
    """Offers the values of the newest rows, and the one that is filtered by."""

    def __init__(
        self,
        field: Field[Any, Any],
        request: HttpRequest,
        params: dict[str, Any],
        model: type[Model],
        model_admin: admin.ModelAdmin[Any],
        field_path: str,
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        holder, _way = reverse_field_path(model, field_path)
        rows = model_admin.get_queryset(request) if holder is model else holder._default_manager.all()
        newest = rows.order_by("-pk").values_list(field.name, flat=True)[:NEWEST]
        values = sorted({*newest, *(self.lookup_val or ())}, key=str)
        self.lookup_choices = values  # type: ignore[assignment]
        self._say = getattr(model_admin, "words_for", {}).get(field_path, str)

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        all_of_them, *each = super().choices(changelist)
        yield all_of_them
        for value, choice in zip(self.lookup_choices, each, strict=True):
            yield {**choice, "display": choice["display"].replace(value, self._say(value), 1)}


admin.FieldListFilter.register(
    lambda field: isinstance(field, CharField) and not field.choices, RecentValuesFilter, take_priority=True
)
