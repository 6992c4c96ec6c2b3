"""The moderators' site: Django's admin with a start page of things that need attention, timelines, and actions."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock

SECTIONS = (
    (_("Matches"), ("Match", "Seat", "ChatMessage", "WhatIf", "Report", "RatedMatch", "RatingChange")),
    (_("Clubs and events"), ("Club", "Event")),
    (_("Mail"), ("InboundEmail", "OutboxMessage", "DeliveryEvent")),
    (_("People"), ("User", "EmailAddress", "UnreachableAddress", "Ban", "Mute")),
    (_("Moderation"), ("AuditEntry",)),
)
"""The sections of the navigation, with the models of their lists from any app."""


class ModerationSite(AdminSite):
    site_title = _("Gem server")
    site_header = _("Gem server: moderation")
    index_title = _("What needs somebody")
    index_template = "admin/start.html"
    site_url = "/"

    def has_permission(self, request: HttpRequest) -> bool:
        return isinstance(request.user, User) and request.user.has_role(Role.HELPER)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the site's own sign-in, with its codes and limits; refuse signed-in users without a role."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied  # `403.html` says what to do
        return redirect_to_login(request.GET.get("next", reverse("admin:index")), reverse("account_login"))

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        from gemserver.moderation.attention import heartbeats, latest_actions, what_needs_somebody

        assert isinstance(request.user, User), "the site's own check lets nobody else in"
        now = clock.now()
        found = {
            "sections": what_needs_somebody(request.user, now),
            "heartbeats": heartbeats(now),
            "actions": latest_actions(request.user),
            "may_compare_accounts": request.user.has_role(Role.MODERATOR),
        }
        return super().index(request, {**found, **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The lists by section; on the page of a single app, Django's own list of that app."""
        apps = super().get_app_list(request, app_label)
        if app_label:
            return apps
        found = {model["object_name"]: (app, model) for app in apps for model in app["models"]}
        sections = []
        for title, names in SECTIONS:
            models = [found[name] for name in names if name in found]
            if models:
                first = models[0][0]
                sections.append({**first, "name": title, "models": [model for _app, model in models]})
        return sections

    def get_urls(self) -> list[URLPattern | URLResolver]:
        # The site is created while apps are loading, when models cannot be imported yet.
        from gemserver.moderation import server_pages, views

        return [
            path("incidents/", self.admin_view(server_pages.incidents), name="incidents"),
            path("delivery/", self.admin_view(server_pages.delivery), name="delivery"),
            path("alike-accounts/", self.admin_view(server_pages.alike_accounts), name="alike-accounts"),
            path("timeline/<str:code>/", self.admin_view(views.timeline), name="timeline"),
            path("actions/<slug:verb>/<str:key>/", self.admin_view(views.action), name="action"),
            *super().get_urls(),
        ]
