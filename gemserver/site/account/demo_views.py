"""Sign in as the embedded server's demo player with one click."""

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
    """Sign in as the demo player and go to their running match; no password, because it is the user's own machine."""
    login(request, demo.demo_user())
    return redirect(demo.prepare_demo())
