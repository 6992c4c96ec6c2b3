"""List-Unsubscribe: one click for programs (RFC 8058), a page with a button for people (RFC 2369)."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from gemserver.accounts.models import User
from gemserver.lib import signing


def unsubscribe_headers(user: User) -> dict[str, str]:
    """The two headers; both name the account by its token."""
    url = settings.SITE_URL + reverse("unsubscribe", args=[user.token])
    address = settings.ACCOUNT_REPLY.format(token=user.token)
    return {
        "List-Unsubscribe": f"<{url}>, <mailto:{address}?subject=unsubscribe>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and changes nothing (link scanners); POST switches turn mails off, however often."""
    user = get_object_or_404(User, token_hash=signing.token_hash(token))
    done = request.method == "POST"
    if done:
        User.objects.filter(pk=user.pk).update(mail_mode=User.MailMode.OFF)
    return render(request, "accounts/unsubscribe.html", {"reader": user, "done": done})
