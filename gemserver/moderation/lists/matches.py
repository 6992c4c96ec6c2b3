"""Matches for moderators: public facts only, and nothing hidden while the match runs."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _

from games.contract import seat_letter
from gemserver.lib.text.translator import translator
from gemserver.matches import codec, selectors
from gemserver.matches.models import Match, Move, Seat
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.lists.read_only import ReadOnlyAdmin, ReadOnlyInline, own_matches, show_span
from gemserver.moderation.paths import action_links, timeline_path

HIDDEN = _("hidden while the match runs")


class SeatInline(ReadOnlyInline):
    model = Seat
    fields = (
        *("letter", "user", "bot", "is_waiting", "prompt_ply", "prompted_at", "left", "due_at"),
        *("remind_at", "misses", "result"),
    )
    readonly_fields = ("letter", "left", "result")
    left = show_span("clock_left", _("time left"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        return super().get_queryset(request).select_related("user", "match")

    @admin.display(description=_("seat"))
    def letter(self, seat: Seat) -> str:
        return seat.letter

    @admin.display(description=_("result"))
    def result(self, seat: Seat) -> str:
        """Empty before the end, because the score so far may include hidden things."""
        return f"{seat.rank}. ({seat.score})" if seat.match.is_over else "-"


class MoveInline(ReadOnlyInline):
    model = Move
    fields = ("ply", "letter", "text_if_public", "consequences", "source", "actor", "created_at", "voided_at")
    readonly_fields = ("letter", "text_if_public", "consequences")
    ordering = ("-ply", "-pk")

    def get_formset(self, request: HttpRequest, obj: Match | None = None, **kwargs: Any) -> Any:
        self.names = selectors.names(obj) if obj else []  # an inline lives for one request
        return super().get_formset(request, obj, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Move]:
        return super().get_queryset(request).select_related("actor", "match")

    @admin.display(description=_("seat"))
    def letter(self, move: Move) -> str:
        return seat_letter(move.seat)

    @admin.display(description=_("text"))
    def text_if_public(self, move: Move) -> str:
        return move.text if selectors.is_public(move) else str(HIDDEN)

    @admin.display(description=_("what happened"))
    def consequences(self, move: Move) -> str:
        """The move's lines of the log, as a spectator may read them."""
        words = move.match.words
        events = [event for event in codec.load_events(move.events) if event.visible_to(None)]
        return " ".join(words.describe(event, translator(), self.names) for event in events)


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    list_display = ("code", "game", "status", "ply", "created_at", "started_at", "finished_at")
    list_filter = ("status", "game")
    search_fields = ("=code", "@seats__user")
    sortable_by = ("code",)
    ordering = ("-pk",)
    inlines = (SeatInline, MoveInline)
    fields = (
        *("code", "page", "game", "rules_version", "options", "seat_count", "status", "ending", "ply"),
        *(
            "bank_words",
            "increment_words",
            "cap_words",
            "free_weekends",
            "vacation_days",
            "created_by",
            "created_at",
            "started_at",
            "finished_at",
        ),
        *("commitment", "secret"),
    )
    readonly_fields = ("page", "bank_words", "increment_words", "cap_words", "secret")
    bank_words = show_span("bank", _("bank"))
    increment_words = show_span("increment", _("increment"))
    cap_words = show_span("cap", _("cap"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        """Without matches that the reader plays in."""
        return super().get_queryset(request).exclude(pk__in=own_matches(request).values("pk"))

    @admin.display(description=_("page"))
    def page(self, match: Match) -> str:
        links = [(match.get_absolute_url(), match.code), (timeline_path(match), _("timeline"))]
        return format_html_join(" · ", '<a href="{}">{}</a>', links)

    @admin.display(description=_("the server's secret"))
    def secret(self, match: Match) -> str:
        """Shown as on the page of the deal: once the match is over, or was cancelled before it began."""
        told = match.is_over or match.status == Match.Status.CANCELLED
        return match.server_part if told else str(HIDDEN)


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    """Seats with their players; sorted by deadline, those that are asked."""

    list_display = ("match", "letter", "holder", "is_waiting", "due_at", "misses", "is_open")
    list_filter = ("is_waiting", "is_open", "match__status", "match__game")
    search_fields = ("#match", "@user")
    list_select_related = ("match", "user")
    ordering = ("-pk",)
    sortable_by = ("due_at",)
    sorted_among = MappingProxyType({"due_at": Q(is_waiting=True, due_at__isnull=False)})
    fields = (
        *(
            "match",
            "letter",
            "user",
            "bot",
            "is_waiting",
            "prompt_ply",
            "prompted_at",
            "left",
            "due_at",
        ),
        *("remind_at", "misses", "is_open", "what_to_do"),
    )
    readonly_fields = ("letter", "left", "what_to_do")
    left = show_span("clock_left", _("time left"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        """Without seats of matches that the reader plays in."""
        return super().get_queryset(request).exclude(match__in=own_matches(request))

    @admin.display(description=_("seat"))
    def letter(self, seat: Seat) -> str:
        return seat.letter

    @admin.display(description=_("player"))
    def holder(self, seat: Seat) -> str:
        return seat.name

    @admin.display(description=_("what to do"))
    def what_to_do(self, seat: Seat) -> str:
        return action_links(Target.SEAT, seat)
