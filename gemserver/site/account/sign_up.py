"""Signing up on the web: the account is made at once, but is nobody's until the code that was mailed comes back.

So the session that asked for an account remembers it, and may begin again: with another address when the first was
mistyped, without a word about whose address or name is taken. Whoever signs up as a guest keeps the guest's matches.
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
from django.views.decorators.http import require_POST

from gemserver.accounts import guests
from gemserver.accounts.models import User

SESSION_KEY = "signed_up"
"""The key of the account that this session has asked for."""
NEXT_KEY = "signed_up_for"
"""Where the sign-up was to lead, such as an invitation."""


class SignUp(SignupView):  # type: ignore[misc]
    """allauth's page; what this session asked for before, and has not confirmed, makes way."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        release(request)
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def form_valid(self, form: Form) -> HttpResponse:
        self.request.session[NEXT_KEY] = self.get_next_url()
        response: HttpResponse = super().form_valid(form)
        return response


@require_POST
def begin_again(request: HttpRequest) -> HttpResponse:
    """Back to the form, for who has mistyped the address; what was asked for makes way.

    The answer is the same whether there is such an account or the address was somebody's already.
    """
    release(request)
    clear_login(request)
    place = request.session.pop(NEXT_KEY, None)
    query = f"?{urlencode({'next': place})}" if place else ""
    return redirect(reverse("account_signup") + query)


def remember(request: HttpRequest, user: User) -> None:
    """Note that this session has asked for the account."""
    request.session[SESSION_KEY] = user.pk


def has_asked_for(request: HttpRequest, user: User) -> bool:
    """Whether it was this session that signed the account up."""
    return bool(request.session.get(SESSION_KEY) == user.pk)


def forget(request: HttpRequest) -> None:
    """Somebody is signed in: what the session knew of sign-ups and guests is over."""
    for key in (SESSION_KEY, NEXT_KEY, guests.SESSION_KEY):
        request.session.pop(key, None)


def release(request: HttpRequest) -> None:
    """Take the account away that this session has asked for and not confirmed; who was a guest is one again."""
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
