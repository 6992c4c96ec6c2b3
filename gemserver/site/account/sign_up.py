"""Signing up on the web: the account is created at once, but unowned until its mailed code comes back.

So the session remembers the account it asked for, and may start over, for instance after a mistyped address, without
learning which addresses or names are taken. A guest who signs up keeps their matches.
"""

from __future__ import annotations

from allauth.account.internal.stagekit import clear_login
from allauth.account.models import EmailAddress
from allauth.account.views import SignupView
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gemserver.accounts import guests
from gemserver.accounts.locking import lock_name, lock_user
from gemserver.accounts.models import User

SESSION_KEY = "signed_up"
"""Session key: the primary key of the account that this session asked for."""
NEXT_KEY = "signed_up_for"
"""Session key: the page to go to after signing up, such as an invitation."""


class SignUp(SignupView):  # type: ignore[misc]
    """allauth's page; it first removes an unconfirmed account that this session asked for before."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        release(request)
        with transaction.atomic():
            if guest := guests.guest_of(request):
                lock_user(guest.pk)
            lock_name(request.POST.get("username", ""))  # of two at once one is told that it is taken
            response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def form_valid(self, form: Form) -> HttpResponse:
        self.request.session[NEXT_KEY] = self.get_next_url()
        response: HttpResponse = super().form_valid(form)
        return response

    def form_invalid(self, form: Form) -> HttpResponse:
        """Say that the password is gone: it is not sent back, and an account may well do without one."""
        if form.data.get("password1") and not form.has_error("password1"):
            form.add_error("password1", _("Type it once more, if you want it: no password is sent back."))
        response: HttpResponse = super().form_invalid(form)
        return response


@require_POST
def begin_again(request: HttpRequest) -> HttpResponse:
    """Remove the unconfirmed account and go back to the form, after a mistyped address.

    The response is the same whether the account exists or the address belonged to somebody already.
    """
    release(request)
    clear_login(request)
    place = request.session.pop(NEXT_KEY, None)
    query = f"?{urlencode({'next': place})}" if place else ""
    return redirect(reverse("account_signup") + query)


def remember(request: HttpRequest, user: User) -> None:
    """Record that this session asked for the account."""
    request.session[SESSION_KEY] = user.pk


def has_asked_for(request: HttpRequest, user: User) -> bool:
    """True if this session signed the account up."""
    return bool(request.session.get(SESSION_KEY) == user.pk)


def forget(request: HttpRequest) -> None:
    """Clear the session's sign-up and guest, once somebody has signed in."""
    for key in (SESSION_KEY, NEXT_KEY, guests.SESSION_KEY):
        request.session.pop(key, None)


def release(request: HttpRequest) -> None:
    """Remove the unconfirmed account that this session asked for; one that was a guest's becomes a guest again."""
    asked_for = User.objects.filter(pk=request.session.pop(SESSION_KEY, None), last_login=None)
    with transaction.atomic():
        user = asked_for.select_for_update().first()
        if user is None or EmailAddress.objects.filter(user=user, verified=True).exists():
            return
        if request.session.get(guests.SESSION_KEY) == user.pk:
            EmailAddress.objects.filter(user=user).delete()
            guests.become_guest(user)
        else:
            user.delete()
