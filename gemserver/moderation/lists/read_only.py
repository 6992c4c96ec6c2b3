"""Base classes of all lists, which only show; changes are made by actions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.matches import selectors
from gemserver.matches.models import Match
from gemserver.moderation.lists.bounds import BoundedPaginator


def reader_of(request: HttpRequest) -> User:
    """The signed-in moderator; the site lets nobody in without a role."""
    assert isinstance(request.user, User)
    return request.user


def own_matches(request: HttpRequest) -> QuerySet[Match]:
    """The running matches that the reader takes part in; nothing of them is shown here."""
    return selectors.own_matches(reader_of(request))


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


class ReadOnlyAdmin(_Unchangeable, admin.ModelAdmin):  # type: ignore[type-arg]
    """A list and detail pages without add, change or delete, and without lookups beyond the list's filters."""

    paginator = BoundedPaginator
    show_full_result_count = False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Allow only the lookups of the list's filters.

        Django would allow lookups of any column in the address (`?server_part__startswith=a`), so that a reader of
        the list could guess hidden values one character at a time.
        """
        return any(
            lookup == name or lookup.startswith(f"{name}__")
            for name in self.list_filter
            if isinstance(name, str)
        )


class ReadOnlyInline(_Unchangeable, admin.TabularInline):  # type: ignore[type-arg]
    """The rows of another table on a detail page, read-only."""

    extra = 0
    can_delete = False
    show_change_link = False
