"""Accounts and their addresses, bans, mutes, and addresses that mail is not sent to."""

from __future__ import annotations

from urllib.parse import urlencode

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import Ban, Mute, UnreachableAddress, User
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.lists.read_only import ReadOnlyAdmin
from gemserver.moderation.paths import action_links


@admin.register(User)
class AccountAdmin(ReadOnlyAdmin):
    """Accounts. Passwords are for their owners alone: people who have lost theirs sign in with a code by mail."""

    list_display = ("shown", "owner", "email", "time_zone", "language", "mail_mode", "role", "date_joined")
    list_filter = ("role", "is_active", "mail_mode", "language")
    search_fields = ("@pk",)
    sortable_by = ("shown",)
    ordering = ("username",)
    list_select_related = ("owner",)
    fields = (
        *("username", "owner", "bots", "email", "addresses", "matches", "time_zone", "language", "mail_mode"),
        *("role", "is_superuser", "is_active", "last_login", "date_joined", "before", "what_to_do"),
    )
    readonly_fields = ("owner", "bots", "addresses", "matches", "before", "what_to_do")

    @admin.display(description=_("name"), ordering="username")
    def shown(self, user: User) -> str:
        return user.shown_name

    @admin.display(description=_("bots"))
    def bots(self, user: User) -> str:
        """The bots for which this person answers."""
        return ", ".join(user.bots.order_by("username").values_list("username", flat=True))

    @admin.display(description=_("addresses"))
    def addresses(self, user: User) -> str:
        """The account's addresses, each with a link to its page."""
        rows = EmailAddress.objects.filter(user=user).order_by("-primary", "email")
        return format_html_join(
            mark_safe("<br>"),
            '<a href="{}">{}</a> {}',
            (
                (
                    reverse("admin:account_emailaddress_change", args=[row.pk]),
                    row.email,
                    "" if row.verified else _("not verified"),
                )
                for row in rows
            ),
        )

    @admin.display(description=_("matches"))
    def matches(self, user: User) -> str:
        path = reverse("admin:matches_match_changelist")
        return format_html('<a href="{}?{}">{}</a>', path, urlencode({"q": user.username}), _("search"))

    @admin.display(description=_("bans and mutes"))
    def before(self, user: User) -> str:
        """The number of those there have been, each with a link to them."""
        kinds = (
            ("accounts_ban", _("bans"), user.bans.count()),
            ("accounts_mute", _("mutes"), user.mutes.count()),
        )
        query = urlencode({"q": user.username})
        links = (
            (reverse(f"admin:{name}_changelist"), query, title, number)
            for name, title, number in kinds
            if number
        )
        return format_html_join(" · ", '<a href="{}?{}">{} ({})</a>', links)

    @admin.display(description=_("what to do"))
    def what_to_do(self, user: User) -> str:
        return action_links(Target.PLAYER, user)


@admin.register(EmailAddress)
class EmailAddressAdmin(ReadOnlyAdmin):
    """Every address of every account, to look up its owner; players add and remove their own."""

    list_display = ("email", "user", "primary", "verified")
    list_filter = ("verified",)
    search_fields = ("email", "@user")
    sortable_by = ("email",)
    list_select_related = ("user",)
    ordering = ("email",)
    fields = ("email", "user", "primary", "verified", "what_to_do")
    readonly_fields = ("what_to_do",)

    @admin.display(description=_("what to do"))
    def what_to_do(self, row: EmailAddress) -> str:
        links = [action_links(Target.CLAIM, row), action_links(Target.ADDRESS, row.email)]
        return format_html_join(" · ", "{}", ((link,) for link in links if link))


@admin.register(Ban)
class BanAdmin(ReadOnlyAdmin):
    list_display = ("since", "user", "address", "note", "until", "lifted_at")
    search_fields = ("@user", "address")
    sortable_by = list_display
    list_select_related = ("user",)
    ordering = ("-since",)


@admin.register(Mute)
class MuteAdmin(ReadOnlyAdmin):
    list_display = ("since", "user", "note", "until", "lifted_at")
    search_fields = ("@user",)
    sortable_by = list_display
    list_select_related = ("user",)
    ordering = ("-since",)


@admin.register(UnreachableAddress)
class UnreachableAddressAdmin(ReadOnlyAdmin):
    list_display = ("address", "why", "since")
    list_filter = ("why",)
    search_fields = ("address",)
    sortable_by = ("since",)
    ordering = ("-since",)
    fields = ("address", "why", "since", "opted_out", "what_to_do")
    readonly_fields = ("what_to_do",)

    @admin.display(description=_("what to do"))
    def what_to_do(self, row: UnreachableAddress) -> str:
        return action_links(Target.ADDRESS, row.address)
