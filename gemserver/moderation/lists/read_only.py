"""What all lists have in common: they show; what changes anything is a measure."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import reverse_field_path
from django.core.paginator import Paginator
from django.db.models import CharField, Field, Model, QuerySet
from django.http import HttpRequest

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.matches import selectors
from gemserver.matches.models import Match


def reader_of(request: HttpRequest) -> User:
    """Who looks at the page; the site lets nobody in without a role."""
    assert isinstance(request.user, User)
    return request.user


def own_matches(request: HttpRequest) -> QuerySet[Match]:
    """The running matches in which the reader has a part; nothing of them is shown here."""
    return selectors.own_matches(reader_of(request))


class _Unchangeable:
    """To be looked at by all who look after the club; neither add nor change nor delete."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return reader_of(request).has_role(Role.HELPER)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


MOST_LISTED = 10_000
"""Rows of a list that are counted and can be turned to; to count all would take the longer the more mails are kept."""
NEWEST = 1000
"""Rows among which the values to filter by are looked for, for the same reason."""


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """The pages of the first `MOST_LISTED` rows."""

    @cached_property
    def is_cut(self) -> bool:
        """Whether there are rows behind the last page."""
        return self._counted > MOST_LISTED

    @cached_property
    def count(self) -> int:
        return min(self._counted, MOST_LISTED)

    @cached_property
    def _counted(self) -> int:
        assert isinstance(self.object_list, QuerySet)
        return self.object_list.order_by()[: MOST_LISTED + 1].count()


class RecentValuesFilter(admin.AllValuesFieldListFilter):
    """The values among the newest rows, and the one that is filtered by."""

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


admin.FieldListFilter.register(
    lambda field: isinstance(field, CharField) and not field.choices, RecentValuesFilter, take_priority=True
)


class ReadOnlyAdmin(_Unchangeable, admin.ModelAdmin):  # type: ignore[type-arg]
    """A list and detail pages without add, change or delete, which answer only what the list filters by."""

    paginator = BoundedPaginator
    show_full_result_count = False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only what the filters beside the list ask for.

        Django would let any column of the row be asked for in the address (`?server_part__startswith=a`), so that
        one who may see the list could guess what is hidden in it, sign by sign.
        """
        return any(
            lookup == name or lookup.startswith(f"{name}__")
            for name in self.list_filter
            if isinstance(name, str)
        )


class ReadOnlyInline(_Unchangeable, admin.TabularInline):  # type: ignore[type-arg]
    """The rows of another table on a detail page, to look at."""

    extra = 0
    can_delete = False
    show_change_link = False
