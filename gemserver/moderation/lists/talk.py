"""Messages at tables, what-ifs by name, and reports."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from gemserver.clubs.models import Club
from gemserver.matches.models import ChatMessage, Report
from gemserver.moderation.actions.targets import Target, find_text, reports_for
from gemserver.moderation.lists.read_only import ReadOnlyAdmin, own_matches, reader_of
from gemserver.moderation.paths import action_links, talk_path, timeline_path
from gemserver.study.models import WhatIf

BEGINNING = 80
"""Characters of a report in the list."""


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "state", "match", "title", "reporter", "beginning")
    list_filter = ("state",)
    search_fields = ("#match", "@reporter")
    list_select_related = ("match", "reporter")
    ordering = ("state", "-created_at")
    fields = (
        *(
            "created_at",
            "state",
            "timeline",
            "title",
            "reporter",
            "reported",
            "message_text",
            "quoted",
            "text",
        ),
        *("closed_at", "closed_by", "answer", "what_to_do"),
    )
    readonly_fields = ("timeline", "message_text", "what_to_do")

    def get_fields(self, request: HttpRequest, obj: Report | None = None) -> Any:
        """The rows that a report of this kind can fill: one about a public text has no match and no message."""
        left_out = {"timeline", "message_text"} if obj and obj.match_id is None else {"title", "quoted"}
        return [name for name in self.fields if name not in left_out]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        return super().get_queryset(request) & reports_for(reader_of(request))

    @admin.display(description=_("text"))
    def beginning(self, report: Report) -> str:
        """The first words, so that a long report does not make a row as high as a page."""
        return Truncator(report.text).chars(BEGINNING)

    @admin.display(description=_("match"))
    def timeline(self, report: Report) -> str:
        assert report.match, "only reports about a match have this field"
        return format_html('<a href="{}">{}</a>', timeline_path(report.match), report.match.code)

    @admin.display(description=_("message"))
    def message_text(self, report: Report) -> str:
        """The message reported, if any, and the way to the talk that it is part of."""
        assert report.match, "only reports about a match have this field"
        text = report.message.text if report.message else ""
        talk = talk_path(report.match, report.message_id)
        return format_html('{} <a href="{}">{}</a>', text, talk, _("The talk of the table"))

    @admin.display(description=_("what to do"))
    def what_to_do(self, report: Report) -> str:
        links = [action_links(Target.REPORT, report)]
        if report.message:
            links.append(action_links(Target.MESSAGE, report.message))
        if text := find_text(report):
            links.append(action_links(Target.CLUB if isinstance(text, Club) else Target.EVENT, text))
        return format_html_join(" · ", "{}", ((link,) for link in links if link))


@admin.register(ChatMessage)
class MessageAdmin(ReadOnlyAdmin):
    """Messages at tables. Moderators answer for them, so they may read them, except where they play themselves."""

    list_display = ("created_at", "match", "author", "text", "removed_at")
    list_filter = ("removed_at",)
    search_fields = ("#match", "@author", "text")
    list_select_related = ("match", "author")
    ordering = ("-pk",)
    fields = ("created_at", "match", "author", "ply", "text", "removed_at", "what_to_do")
    readonly_fields = ("what_to_do",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ChatMessage]:
        return super().get_queryset(request).exclude(match__in=own_matches(request))

    @admin.display(description=_("what to do"))
    def what_to_do(self, message: ChatMessage) -> str:
        return action_links(Target.MESSAGE, message)


@admin.register(WhatIf)
class WhatIfAdmin(ReadOnlyAdmin):
    """What-ifs with a name, which is all that somebody has written in them."""

    list_display = ("changed_at", "match", "user", "name")
    search_fields = ("#match", "@user", "name", "=key")
    list_select_related = ("match", "user")
    ordering = ("-pk",)
    fields = ("begun_at", "changed_at", "match", "user", "name", "what_to_do")
    readonly_fields = ("what_to_do",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[WhatIf]:
        return super().get_queryset(request).exclude(name="")

    @admin.display(description=_("what to do"))
    def what_to_do(self, what_if: WhatIf) -> str:
        return action_links(Target.WHAT_IF, what_if)
