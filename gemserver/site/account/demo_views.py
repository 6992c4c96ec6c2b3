"""One click and one plays: the embedded server's demo player."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from gemserver.matches import demo
from gemserver.site.embedded_only import embedded_only


@embedded_only
@require_POST
def demo_sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in as the demo player, without a password as it is one's own machine, and go to their running match."""
    login(request, demo.demo_user())
    return redirect(demo.prepare_demo())
