"""Every address of the moderators' site with every subject it can have, and browsers of every role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club
from gemserver.events.models import Event
from gemserver.inbox.models import InboundEmail
from gemserver.matches.models import ChatMessage, Match, Report, Seat
from gemserver.moderation.actions import ACTIONS
from gemserver.moderation.actions.targets import Target
from gemserver.notify.models import OutboxMessage
from gemserver.study.models import WhatIf
from tests.builders import make_user
from tests.moderation import planted
from tests.site.pages import signed_in
from tests.site.routes import every_route

_HELPERS = {"pause", "resume", "extend", "resend", "reject", "try-address"}
_HELPERS |= {"remove-message", "close-report", "clear-name"}
_ADMINISTRATORS = {"give-role", "verify-address"}


def least_role(verb: str) -> Role:
    """The least role that allows this action."""
    if verb in _HELPERS:
        return Role.HELPER
    return Role.ADMINISTRATOR if verb in _ADMINISTRATORS else Role.MODERATOR


def browser_of(club: planted.Club, role: Role, *, is_seated: bool) -> Client:
    """The browser of somebody with this role, who plays in the club's matches or in none."""
    reader = club.moderator if is_seated else make_user("aside")
    User.objects.filter(pk=reader.pk).update(role=role, is_staff=True)
    return signed_in(User.objects.get(pk=reader.pk))


def every_address(most: int | None = None) -> Iterator[str]:
    """Each route of the site, filled in with every subject it can have, or with at most so many of each kind."""
    for route in every_route():
        if route.startswith("admin/") and not route.startswith(("admin/logout", "admin/(?P<url>")):
            yield from (f"/{path}" for path in fill_in(route, most))


def fill_in(route: str, most: int | None = None) -> Iterator[str]:
    if "<path:object_id>" in route and "<path:content_type_id>" not in route:
        _, app, name, *_ = route.split("/")
        for pk in rows_of(app, name)[:most]:
            yield route.replace("<path:object_id>", str(pk))
    elif "<slug:verb>" in route:
        for action in ACTIONS.values():
            for key in keys_of(action.target)[:most]:
                yield f"admin/actions/{action.verb}/{key}/"
    elif "<str:code>" in route:
        yield from (route.replace("<str:code>", match.code) for match in Match.objects.all()[:most])
    elif "<id>" in route:
        yield from (route.replace("<id>", str(user.pk)) for user in User.objects.all()[:most])
    elif "<path:content_type_id>" in route:
        kinds = ContentType.objects.get_for_models(*registered()).values()
        yield from (f"admin/r/{kind.pk}/{pk}/" for kind in kinds for pk in (1, 2))
    elif "(?P<app_label>" in route:
        labels = route.partition("(?P<app_label>")[2].partition(")")[0]
        yield from (f"admin/{label}/" for label in labels.split("|"))
    else:
        assert "<" not in route, f"nothing is known to fill {route} in with"
        yield route


def rows_of(app: str, name: str) -> list[object]:
    [model] = [
        model for model in registered() if (model._meta.app_label, model._meta.model_name) == (app, name)
    ]
    return list(model._default_manager.values_list("pk", flat=True))


def registered() -> list[type[Model]]:
    return list(admin.site._registry)


def keys_of(target: Target) -> list[object]:
    keys: Mapping[Target, list[object]] = {
        Target.MATCH: [match.code for match in Match.objects.all()],
        Target.SEAT: list(Seat.objects.values_list("pk", flat=True)),
        Target.MESSAGE: list(ChatMessage.objects.values_list("pk", flat=True)),
        Target.REPORT: list(Report.objects.values_list("pk", flat=True)),
        Target.WHAT_IF: list(WhatIf.objects.values_list("pk", flat=True)),
        Target.OUTGOING: list(OutboxMessage.objects.values_list("pk", flat=True)),
        Target.INCOMING: list(InboundEmail.objects.values_list("pk", flat=True)),
        Target.PLAYER: list(User.objects.values_list("username", flat=True)),
        Target.CLAIM: list(EmailAddress.objects.values_list("pk", flat=True)),
        Target.CLUB: list(Club.objects.values_list("pk", flat=True)),
        Target.EVENT: list(Event.objects.values_list("pk", flat=True)),
        Target.ADDRESS: [*User.objects.values_list("email", flat=True), "gone@example.net"],
    }
    return keys[target]
