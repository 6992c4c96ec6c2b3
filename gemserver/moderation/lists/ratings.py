"""Ratings for moderators: what each match has changed, and which were not rated. Not those of private clubs."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from games.contract import seat_letter
from gemserver.moderation.lists.read_only import ReadOnlyAdmin
from gemserver.ratings.models import RatedMatch, RatingChange


@admin.register(RatedMatch)
class RatedMatchAdmin(ReadOnlyAdmin):
    list_display = ("match", "refusal", "finished_at")
    list_filter = ("refusal", "pool__game")
    search_fields = ("#match",)
    list_select_related = ("match",)
    ordering = ("-pk",)
    fields = ("match", "refusal", "finished_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[RatedMatch]:
        return super().get_queryset(request).filter(pool__club=None)


@admin.register(RatingChange)
class RatingChangeAdmin(ReadOnlyAdmin):
    list_display = ("match", "letter", "player", "place", "why", "is_spared", "change", "finished_at")
    list_filter = ("why", "is_spared", "pool__game")
    search_fields = ("#match", "@contender__user")
    list_select_related = ("match", "contender__user")
    ordering = ("-pk",)
    fields = (
        "match",
        "letter",
        "player",
        "place",
        "why",
        "is_spared",
        "absent_since",
        "change",
        "finished_at",
    )
    readonly_fields = ("letter", "player", "change")

    def get_queryset(self, request: HttpRequest) -> QuerySet[RatingChange]:
        return super().get_queryset(request).filter(pool__club=None)

    @admin.display(description=_("seat"))
    def letter(self, row: RatingChange) -> str:
        return seat_letter(row.seat)

    @admin.display(description=_("player"))
    def player(self, row: RatingChange) -> str:
        return row.contender.user.shown_name if row.contender.user else "-"

    @admin.display(description=_("rating"))
    def change(self, row: RatingChange) -> str:
        return f"{row.before.number} ±{row.before.margin} → {row.after.number} ±{row.after.margin}"
