"""Base classes of all lists, which only show; changes are made by actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.matches import selectors
from gemserver.matches.models import Match
from gemserver.matches.words.clocks import span
from gemserver.moderation.lists import search
from gemserver.moderation.lists.bounds import BoundedPaginator


def reader_of(request: HttpRequest) -> User:
    """The signed-in moderator; the site lets nobody in without a role."""
    assert isinstance(request.user, User)
    return request.user


def own_matches(request: HttpRequest) -> QuerySet[Match]:
    """The running matches that the reader takes part in; nothing of them is shown here."""
    return selectors.own_matches(reader_of(request))


_FILTERED_BY = frozenset({"", "exact", "isnull", "gte", "lt"})
"""The lookups that filters of Django write into addresses: of a value, of nothing, and of a span of days."""


class _Unchangeable:
    """Lets every helper and moderator look, and nobody add, change or delete."""

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


class IndexedChangeList(ChangeList):
    """Sorts only by the columns of `sortable_by`, also where the address asks for another."""

    def get_ordering_field(self, field_name: Any) -> Any:
        is_sortable = field_name in (self.sortable_by or ())
        return super().get_ordering_field(field_name) if is_sortable else None

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        first = str(rows.query.order_by[0]).removeprefix("-") if rows.query.order_by else ""
        return rows.filter(self.model_admin.sorted_among.get(first, Q()))  # type: ignore[attr-defined]


def _list_without_help(list_fields: Callable[[], Iterable[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    return [{**field, "help_text": ""} for field in list_fields()]


class ReadOnlyAdmin(_Unchangeable, admin.ModelAdmin):  # type: ignore[type-arg]
    """A list and detail pages without add, change or delete, and without lookups beyond the list's filters.

    `search_fields` are written in a way of their own: `=column` must be the word, `@path` leads to accounts with the
    word in their name or address, `#path` to a match with that code; a plain column contains the word. Each is found by
    an index, and so is the order of the list by a column of `sortable_by`.
    """

    paginator = BoundedPaginator
    show_full_result_count = False
    sortable_by: ClassVar[tuple[str, ...]] = ()
    search_among: ClassVar[Mapping[str, Q]] = MappingProxyType({})
    """By searched column: the rows among which it is searched, where its index has no others."""
    sorted_among: ClassVar[Mapping[str, Q]] = MappingProxyType({})
    """By column: the rows that are left when the list is sorted by it."""

    words_for: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType({})
    """By column with codes: the function that puts one into words for the filter."""

    def get_form(
        self, request: HttpRequest, obj: Model | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """Without help on how to fill in what can only be read."""
        silent = dict.fromkeys(kwargs.get("fields") or (), "")
        return super().get_form(request, obj, change, help_texts=silent, **kwargs)

    def get_inline_formsets(
        self, request: HttpRequest, formsets: Any, inline_instances: Any, obj: Model | None = None
    ) -> list[Any]:
        """Without help either; Django takes that of the model where ours is empty."""
        found: list[Any] = super().get_inline_formsets(request, formsets, inline_instances, obj)
        for formset in found:
            formset.fields = partial(_list_without_help, formset.fields)
        return found

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list under its name; Django's title asks to select a row."""
        title = {"title": capfirst(self.opts.verbose_name_plural)}
        return super().changelist_view(request, {**title, **(extra_context or {})})

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return IndexedChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        for word in search.split_words(search_term):
            fields = self.get_search_fields(request)
            queryset = queryset.filter(search.condition(self.model, fields, self.search_among, word))
        return queryset, False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Allow only the lookups of the list's filters, in the ways in which filters write them.

        Django would allow lookups of any column in the address (`?server_part__startswith=a`), so that a reader of
        the list could guess hidden values one character at a time; and others, such as `__range` and `__regex`, take
        values that no filter offers and the database refuses.
        """
        name, way = lookup, ""
        if lookup not in self.list_filter:
            name, _, way = lookup.rpartition("__")
        return name in self.list_filter and way in _FILTERED_BY


def show_span(field: str, description: Any) -> Callable[[Any, Model], str]:
    """A column for a duration, in words as players read it; Django would write `2 days, 0:00:00`."""

    @admin.display(description=description)
    def show(_admin: Any, row: Model) -> str:
        value = getattr(row, field)
        return "-" if value is None else span(value)

    return show


class ReadOnlyInline(_Unchangeable, admin.TabularInline):  # type: ignore[type-arg]
    """The rows of another table on a detail page, read-only."""

    extra = 0
    can_delete = False
    show_change_link = False
