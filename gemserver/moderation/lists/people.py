"""Accounts, which administrators change, and who or what is shut out."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import Ban, UnreachableAddress, User
from gemserver.accounts.roles import Role
from gemserver.matches import selectors
from gemserver.moderation.lists.read_only import FilteredOnly, ReadOnlyAdmin, reader_of
from gemserver.moderation.paths import measure_links


@admin.register(User)
class AccountAdmin(FilteredOnly, UserAdmin):  # type: ignore[type-arg]
    list_display = ("username", "email", "time_zone", "language", "mail_mode", "role", "date_joined")
    list_filter = ("role", "is_active", "mail_mode", "language")
    search_fields = ("username", "email")
    # Changed here it would move due times that were announced; the player's own way leads through the history of hours.
    readonly_fields = ("time_zone", "what_to_do")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "email", "password")}),
        (_("Preferences"), {"fields": ("time_zone", "language", "mail_mode")}),
        (_("Permissions"), {"fields": ("role", "is_active", "is_superuser")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
        (_("What to do"), {"fields": ("what_to_do",)}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Nothing about passwords for those who cannot change them."""
        fieldsets = super().get_fieldsets(request, obj)
        if self.has_change_permission(request, obj):
            return fieldsets
        return [(None, {"fields": ("username", "email")}), *fieldsets[1:]]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return reader_of(request).has_role(Role.HELPER)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_change_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """An administrator's; the account of a superuser is another superuser's.

        Nobody's with whom one plays: who sets a password or an address can sign in and look at a hand.
        """
        reader = reader_of(request)
        if not reader.has_role(Role.ADMINISTRATOR):
            return False
        if obj is not None and selectors.tablemates(reader).filter(pk=obj.pk).exists():
            return False
        return reader.is_superuser or obj is None or not obj.is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Nobody's: an account is erased by its owner, so that matches stay whole."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        only_superusers = () if reader_of(request).is_superuser else ("is_superuser",)
        return (*super().get_readonly_fields(request, obj), *only_superusers)

    @admin.display(description=_("what to do"))
    def what_to_do(self, user: User) -> str:
        return measure_links("player", user.username, user)


@admin.register(EmailAddress)
class EmailAddressAdmin(ReadOnlyAdmin):
    """Every address of every account, to find out whose one is; its player changes it."""

    list_display = ("email", "user", "primary", "verified")
    list_filter = ("verified",)
    search_fields = ("email", "user__username")
    list_select_related = ("user",)
    ordering = ("email",)
    fields = ("email", "user", "primary", "verified", "what_to_do")
    readonly_fields = ("what_to_do",)

    @admin.display(description=_("what to do"))
    def what_to_do(self, row: EmailAddress) -> str:
        return measure_links("address", row.email, row.email)


@admin.register(Ban)
class BanAdmin(ReadOnlyAdmin):
    list_display = ("since", "user", "address", "note", "lifted_at")
    search_fields = ("user__username", "address")
    list_select_related = ("user",)
    ordering = ("-since",)


@admin.register(UnreachableAddress)
class UnreachableAddressAdmin(ReadOnlyAdmin):
    list_display = ("address", "why", "since")
    list_filter = ("why",)
    search_fields = ("address",)
    ordering = ("-since",)
    fields = ("address", "why", "since", "what_to_do")
    readonly_fields = ("what_to_do",)

    @admin.display(description=_("what to do"))
    def what_to_do(self, row: UnreachableAddress) -> str:
        return measure_links("address", row.address, row.address)
