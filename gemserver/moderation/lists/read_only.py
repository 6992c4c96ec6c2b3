"""What all lists have in common: they show; what changes anything is a action."""

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
