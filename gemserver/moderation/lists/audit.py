"""The list of moderators' actions."""

from __future__ import annotations

from types import MappingProxyType

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from gemserver.moderation.actions import say_verb
from gemserver.moderation.lists.read_only import ReadOnlyAdmin, own_matches
from gemserver.moderation.models import AuditEntry


@admin.register(AuditEntry)
class AuditAdmin(ReadOnlyAdmin):
    """The audit log; `verify_audit` checks whether it is intact."""

    list_display = ("number", "at", "moderator_name", "action", "match", "subject", "reason")
    list_filter = ("verb", "moderator_name")
    search_fields = ("=match", "subject", "reason", "=moderator_name")
    sortable_by = ("number",)
    words_for = MappingProxyType({"verb": say_verb})
    fields = (
        *("number", "at", "moderator_name", "action", "match", "subject", "reason", "what_changed"),
        *("request_key", "previous", "key", "hash"),
    )

    readonly_fields = ("action", "what_changed")

    @admin.display(description=_("action"))
    def action(self, entry: AuditEntry) -> str:
        return say_verb(entry.verb)

    @admin.display(description=_("what was changed"))
    def what_changed(self, entry: AuditEntry) -> str:
        return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in entry.changes))

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        own = own_matches(request).values_list("code", flat=True)
        return super().get_queryset(request).exclude(~Q(match="") & Q(match__in=list(own)))
