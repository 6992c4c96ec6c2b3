"""Pages of a player's passkeys, and the way in by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_login
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.account.models import Login
from allauth.account.utils import get_next_redirect_url
from allauth.account.views import LoginView
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from gemserver.accounts.models import User
from gemserver.accounts.passkeys import passkey_host, passkeys_of
from gemserver.lib.web.user_agents import name_browser
from gemserver.site.account import attempts
from gemserver.site.account.entrance import signed_in_lately

LONGEST_NAME = 60


class NameForm(forms.Form):
    """Name of a passkey, by which its owner knows it again."""

    name = forms.CharField(label=gettext_lazy("Name, such as “laptop”"), max_length=LONGEST_NAME)


class SignIn(LoginView):  # type: ignore[misc]
    """allauth's page, with the host for whose passkeys it has a button."""

    extra_context = {"passkey_host": passkey_host}


def asks_for_fresh_sign_in(view: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a view be called soon after a sign-in; later the password is asked for, or a sign-in where there is none."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        user = _signed_in(request)
        has_password = user.has_usable_password()
        if signed_in_lately(request) or (has_password and did_recently_reauthenticate(request)):
            return view(request)
        if not request.accepts("text/html"):
            return HttpResponse(
                status=403
            )  # to a script: sent again after the password it would be shown as a page
        if has_password:
            raise ReauthenticationRequired
        return render(request, "profile/sign_in_afresh.html", {"nav": "profile"}, status=403)

    return guarded


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def passkeys(request: HttpRequest) -> HttpResponse:
    """List the player's passkeys; POST renames one."""
    user = _signed_in(request)
    refusal = ""
    if request.method == "POST":
        form = NameForm(request.POST)
        row = _row(user, request.POST.get("passkey", ""))
        if row is not None and form.is_valid():
            row.data["name"] = form.cleaned_data["name"]
            row.save(update_fields=["data"])
            messages.success(request, _("Saved."))
            return redirect("passkeys")
        refusal = _("You have no such passkey.") if row is None else str(form["name"].errors[0])
    context = {
        "passkeys": passkeys_of(user),
        "longest": LONGEST_NAME,
        "refusal": refusal,
        "host": passkey_host(),
        "nav": "profile",
    }
    return render(request, "profile/passkeys.html", context, status=422 if refusal else 200)


@never_cache
@login_required
@require_POST
@asks_for_fresh_sign_in
def remove_passkey(request: HttpRequest) -> HttpResponse:
    """Remove a passkey, and tell the player by mail."""
    user = _signed_in(request)
    row = _row(user, request.POST.get("passkey", ""))
    if row is None:
        messages.error(request, _("You have no such passkey."))
        return redirect("passkeys")
    name = row.data["name"]
    row.delete()
    _tell(user, "account/email/passkey_removed", name)
    messages.success(
        request, _("The passkey {name} is removed; it lets nobody in any more.").format(name=name)
    )
    return redirect("passkeys")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@asks_for_fresh_sign_in
def new_passkey(request: HttpRequest) -> HttpResponse:
    """The page that adds a passkey; POST without a browser's answer gives the options to make one, with it keeps it."""
    user = _signed_in(request)
    form = NameForm(initial={"name": name_browser(request.headers.get("user-agent", ""))[:LONGEST_NAME]})
    refusal = ""
    if request.method == "POST":
        from gemserver.site.account import passkey_answers

        try:
            answer = request.POST.get("credential", "")
            if not answer:
                return HttpResponse(passkey_answers.begin_adding(user), content_type="application/json")
            form = NameForm(request.POST)
            name = form.cleaned_data["name"] if form.is_valid() else _("Passkey")
            passkey_answers.add(request, user, name, answer)
        except ValidationError as error:
            refusal = error.messages[0]
            if not answer:
                return JsonResponse({"refusal": refusal}, status=422)
        else:
            _tell(user, "account/email/passkey_added", name)
            messages.success(request, _("The passkey {name} signs you in from now on.").format(name=name))
            return redirect("passkeys")
    context = {"form": form, "refusal": refusal, "host": passkey_host(), "nav": "profile"}
    return render(request, "profile/new_passkey.html", context, status=422 if refusal else 200)


@never_cache
@require_POST
def passkey_sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by a passkey; without a browser's answer it gives the options to prove one."""
    if request.user.is_authenticated:
        return redirect(get_next_redirect_url(request) or "home")
    answer = request.POST.get("credential", "")
    usage = attempts.consume_from(request, "passkey_failed" if answer else "passkey_begun")
    if usage is None:
        refusal = _("Too many attempts. Have a code sent to you by mail, or try again in an hour.")
        return _refuse(request, refusal) if answer else JsonResponse({"refusal": refusal}, status=429)
    from gemserver.site.account import passkey_answers

    if not answer:
        return HttpResponse(passkey_answers.begin_sign_in(), content_type="application/json")
    try:
        row = passkey_answers.recognise(request, answer)
    except ValidationError as error:
        return _refuse(request, error.messages[0])
    usage.rollback()
    return _let_in(request, row)


def _let_in(request: HttpRequest, row: Authenticator) -> HttpResponse:
    from allauth.mfa.base.internal.flows import post_authentication

    post_authentication(request, row, passwordless=True)
    login = Login(user=row.user, redirect_url=get_next_redirect_url(request))
    response: HttpResponse = perform_login(request, login)
    return response


def _refuse(request: HttpRequest, refusal: str) -> HttpResponse:
    """Show the sign-in page with the refusal above it, on the way to the same page as before."""
    messages.error(request, refusal)
    place = get_next_redirect_url(request)
    query = f"?{urlencode({'next': place})}" if place else ""
    response = redirect(reverse("account_login") + query)
    # Not 302, which is taken for a form whose sender was signed out meanwhile (`accounts/signed_out.py`).
    response.status_code = HTTPStatus.SEE_OTHER
    return response


def _row(user: User, number: str) -> Authenticator | None:
    return next((row for row in passkeys_of(user) if str(row.pk) == number), None)


def _tell(user: User, template: str, name: str) -> None:
    """Mail the player about a passkey, so that nobody adds or removes one unseen."""
    address = user.mail_address()
    if address:
        get_adapter().send_mail(template, address, {"name": name, "player": user.username})


def _signed_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
