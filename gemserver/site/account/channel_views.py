"""The page on which players choose by which channel they are told, and add, try and remove channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from allauth.account.decorators import reauthentication_required
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.add_channel import add_device, add_hook
from gemserver.matches.actions.people.change_channel import (
    DEVICES,
    MAIL,
    remove_channel,
    rotate_secret,
    switch_channel,
    tell_by,
    told_by,
    try_channel,
)
from gemserver.matches.refusal import Refused
from gemserver.notify.channels import mask, signing_secret
from gemserver.notify.models import Channel
from gemserver.site.account.channel_forms import DeviceForm, HookForm, name_device
from gemserver.site.refused_forms import say_marked

_FAULTS = {
    "address": gettext_noop("Its address is not on the public internet."),
    "name": gettext_noop("The name in its address is unknown."),
    "network": gettext_noop("It could not be reached."),
    "tls": gettext_noop("Its certificate is not valid."),
    "slow": gettext_noop("It took too long to answer."),
}
"""Why nothing was taken, by the code of `lib.outbound`; else it was answered with a status."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A channel as its owner sees it."""

    row: Channel
    place: str
    fault: str

    @property
    def is_device(self) -> bool:
        return self.row.kind == Channel.Kind.WEB_PUSH

    @property
    def is_signed(self) -> bool:
        return self.row.kind == Channel.Kind.WEBHOOK


def _asks_for_secrets(request: HttpRequest) -> bool:
    """True for what lets private texts out, or shows a secret."""
    return request.method == "POST" and ("holds_mail" in request.POST or "rotate" in request.POST)


@never_cache
@login_required
@reauthentication_required(enabled=_asks_for_secrets)  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "HEAD", "POST"])
def channels(request: HttpRequest) -> HttpResponse:
    """List the player's channels; POST changes one thing, named by its button."""
    user = _signed_in(request)
    if request.method != "POST":
        return _show(request, HookForm())
    if request.POST.get("do") == "hook":
        return _add(request, user)
    change = next((change for name, change in _CHANGES.items() if name in request.POST), None)
    try:
        if "rotate" in request.POST:
            return _show(
                request, HookForm(), made=rotate_secret(user, request.POST["rotate"], now=clock.now())
            )
        if change:
            messages.success(request, change(request, user))
    except Refused as refusal:
        return _show(request, HookForm(), refusal=refusal.text())
    return redirect("channels")


def _add(request: HttpRequest, user: User) -> HttpResponse:
    """Add a hook and try it; the secret of a webhook stands in this answer alone."""
    form = HookForm(request.POST)
    if not form.is_valid():
        return _show(request, form, refusal=say_marked())
    given = dict(form.cleaned_data)
    try:
        with transaction.atomic():  # its secret is shown once: it is not added without its test
            kind, name = Channel.Kind(given.pop("kind")), given.pop("name")
            channel = add_hook(user, kind, name, **given, now=clock.now())
            try_channel(user, channel.name, now=clock.now())
    except Refused as refusal:
        return _show(request, form, refusal=refusal.text())
    if channel.kind == Channel.Kind.WEBHOOK:
        return _show(request, HookForm(), made=channel)
    messages.success(
        request,
        _("{name} is added. A test is on its way; if it arrives, choose it above.").format(name=channel.name),
    )
    return redirect("channels")


def _add_device(request: HttpRequest, user: User) -> str:
    form = DeviceForm(request.POST)
    if not form.is_valid():
        raise Refused("bad-address", "The browser gave an address that cannot be used; try again.")
    name = name_device(request.headers.get("User-Agent", ""))
    with transaction.atomic():
        channel = add_device(user, name, **form.cleaned_data, now=clock.now())
        try_channel(user, channel.name, now=clock.now())
    return _(
        "From now on you are told on your devices, this one among them, and not by mail. A test is on its way."
    )


def _choose(request: HttpRequest, user: User) -> str:
    tell_by(user, request.POST["by"])
    return _("Saved. You are told that way from now on.")


def _test(request: HttpRequest, user: User) -> str:
    channel = try_channel(user, request.POST["test"], now=clock.now())
    return _("A test is on its way to {name}.").format(name=channel.name)


def _on(request: HttpRequest, user: User) -> str:
    channel = switch_channel(user, request.POST["on"], on=True, now=clock.now())
    return _("{name} is switched on.").format(name=channel.name)


def _off(request: HttpRequest, user: User) -> str:
    channel = switch_channel(user, request.POST["off"], on=False, now=clock.now())
    return _("{name} is switched off.").format(name=channel.name)


def _remove(request: HttpRequest, user: User) -> str:
    channel = remove_channel(user, request.POST["remove"])
    return _("{name} is removed, and its address forgotten.").format(name=channel.name)


_CHANGES: Mapping[str, Callable[[HttpRequest, User], str]] = {
    "endpoint": _add_device,
    "by": _choose,
    "test": _test,
    "on": _on,
    "off": _off,
    "remove": _remove,
}
"""The action of each form, by the field that only this form has."""


def _show(
    request: HttpRequest, form: forms.Form, *, refusal: str = "", made: Channel | None = None
) -> HttpResponse:
    user = _signed_in(request)
    shown = [Shown(row, mask(row), _say_fault(row)) for row in user.channels.all()]
    by = told_by(user)
    hooks = [each for each in shown if not each.is_device]
    ways = [
        (MAIL, _("mail"), True),
        *(
            [(DEVICES, _("my devices"), any(each.row.is_on for each in shown if each.is_device))]
            if len(hooks) < len(shown)
            else []
        ),
        *(
            (each.row.name, f"{each.row.name} ({each.row.get_kind_display()})", each.row.is_on)
            for each in hooks
        ),
    ]
    context = {
        "form": form,
        "refusal": refusal,
        "made": made,
        "secret": signing_secret(made) if made else "",
        "channels": shown,
        "ways": [(value, label, is_on, value == by) for value, label, is_on in ways],
        "falls_back": any(value == by and not is_on for value, _label, is_on in ways),
        "vapid": _public_key(),
        "nav": "profile",
    }
    return render(request, "profile/channels.html", context, status=422 if refusal else 200)


def _public_key() -> str:
    if not settings.VAPID_KEY:
        return ""
    from gemserver.lib.web_push import public_key

    return public_key(settings.VAPID_KEY)


def _say_fault(row: Channel) -> str:
    """Why the last request was not taken, as a sentence; empty if it was."""
    if not row.last_fault:
        return ""
    if row.last_fault in _FAULTS:
        return _(_FAULTS[row.last_fault])
    return _("It answered with status {status}.").format(status=row.last_fault)


def _signed_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
