from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    list_display = ("username", "email", "time_zone", "language", "mail_mode", "role", "date_joined")
    list_filter = ("role", "is_active", "mail_mode", "language")
    search_fields = ("username", "email")
    # Changed here it would move due times that were announced; the player's own way leads through the history of hours.
    readonly_fields = ("time_zone",)
    fieldsets = (
        (None, {"fields": ("username", "email", "password")}),
        (_("Preferences"), {"fields": ("time_zone", "language", "mail_mode")}),
        (
            _("Permissions"),
            {"fields": ("role", "is_active", "is_superuser")},
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
