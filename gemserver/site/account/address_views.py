"""The page of a player's addresses, with the one that waits for its code to come back."""

from __future__ import annotations

from typing import Any

from allauth.account.internal.flows.email_verification_by_code import EmailVerificationProcess
from allauth.account.views import EmailView
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.try_address_again import lock_tables
from gemserver.matches.actions.seats.renew_address import renew_all_addresses
from gemserver.notify import outbox


class Addresses(EmailView):  # type: ignore[misc]
    """allauth's page. An address that is added is no row before its code comes back; this session remembers it.

    It is shown whether or not it belongs to somebody else, which nobody is to learn here.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "action_forget" in request.POST:
            if waiting := _find_waiting(request):
                waiting.abort()
                messages.success(request, gettext("%(address)s is forgotten.") % {"address": waiting.email})
            return redirect("account_email")
        assert isinstance(request.user, User)
        with transaction.atomic():
            matches = lock_tables(request.user) if "action_remove" in request.POST else {}
            before = request.user.verified_addresses()
            response: HttpResponse = super().post(request, *args, **kwargs)
            for gone in before - request.user.verified_addresses():
                outbox.send_elsewhere(request.user, gone)
                # Whoever reads its old mails could go on stopping mail by their links, which ask nobody who they are,
                # and move by their reply addresses under the player's name, where nothing proves a sender.
                renew_all_addresses(request.user, matches, now=clock.now())
        return response

    def get_initial(self) -> dict[str, Any]:
        """The address that the page about a held mail leads here to add."""
        return {**super().get_initial(), "email": self.request.GET.get("email", "")}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        return {
            **context,
            "has_unconfirmed": any(not address.verified for address in context["emailaddresses"]),
            "waiting": _find_waiting(self.request),
        }


def _find_waiting(request: HttpRequest) -> EmailVerificationProcess | None:
    """The reader's own verification that is under way in this session."""
    found = EmailVerificationProcess.resume(request)
    return found if found is not None and found.user in (None, request.user) else None
