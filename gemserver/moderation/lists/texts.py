"""Clubs and events: what they say about themselves, which everybody reads."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from gemserver.clubs.models import Club
from gemserver.events.models import Event
from gemserver.matches.actions.clubs.report_club import MOST_NEWS
from gemserver.moderation.actions.targets import Target, shown_clubs, shown_events
from gemserver.moderation.lists.read_only import ReadOnlyAdmin
from gemserver.moderation.paths import action_links

_LINE = mark_safe("<br>")


@admin.register(Club)
class ClubAdmin(ReadOnlyAdmin):
    """Listed clubs, and private ones of which a text was reported. Nothing of their matches is here."""

    list_display = ("created_at", "slug", "name", "is_private", "closed_at")
    list_filter = ("is_private",)
    search_fields = ("=slug", "@members__user")
    ordering = ("-pk",)
    fields = (
        *("created_at", "slug", "name", "about", "is_private", "closed_at"),
        *("organisers", "shown_news", "what_to_do"),
    )
    readonly_fields = ("organisers", "shown_news", "what_to_do")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Club]:
        return super().get_queryset(request).filter(pk__in=shown_clubs().values("pk"))

    @admin.display(description=_("organisers"))
    def organisers(self, club: Club) -> str:
        return ", ".join(user.username for user in Target.CLUB.authors_of(club))

    @admin.display(description=_("news of clubs"))
    def shown_news(self, club: Club) -> str:
        rows = club.news.select_related("author")[:MOST_NEWS]
        lines = (
            (f"{row.posted_at:%Y-%m-%d}", row.author.username if row.author else "", row.text) for row in rows
        )
        return format_html_join(_LINE, "{} {}: {}", lines)

    @admin.display(description=_("what to do"))
    def what_to_do(self, club: Club) -> str:
        return action_links(Target.CLUB, club)


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """Events, but those of private clubs unless a text was reported. Seasons, whose secrets run, are not here."""

    list_display = ("created_at", "slug", "name", "game", "created_by", "closed_at")
    list_filter = ("format",)
    search_fields = ("=slug", "@created_by")
    list_select_related = ("created_by",)
    ordering = ("-pk",)
    fields = (
        *("created_at", "slug", "name", "about", "game", "format", "club", "created_by", "closed_at"),
        *("organisers", "reasons", "what_to_do"),
    )
    readonly_fields = ("organisers", "reasons", "what_to_do")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        return super().get_queryset(request).filter(pk__in=shown_events().values("pk"))

    @admin.display(description=_("organisers"))
    def organisers(self, event: Event) -> str:
        return ", ".join(user.username for user in Target.EVENT.authors_of(event))

    @admin.display(description=_("reasons"))
    def reasons(self, event: Event) -> str:
        rows = event.log.exclude(reason="").select_related("by").order_by("-pk")[:MOST_NEWS]
        lines = ((f"{row.at:%Y-%m-%d}", row.by.username if row.by else "", row.reason) for row in rows)
        return format_html_join(_LINE, "{} {}: {}", lines)

    @admin.display(description=_("what to do"))
    def what_to_do(self, event: Event) -> str:
        return action_links(Target.EVENT, event)
