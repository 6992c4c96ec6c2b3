"""List-Unsubscribe: the headers by which mail programs offer a way out.

See RFC 2369, RFC 8058; mail-requirements.md U1.
"""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse

from gemserver.accounts.models import User


def unsubscribe_headers(user: User, category: str = "") -> dict[str, str]:
    """The two headers, with the account's token and the category of mail that they stop (empty: all)."""
    url = settings.SITE_URL + reverse("unsubscribe", args=[user.token, *filter(None, [category])])
    address = settings.ACCOUNT_REPLY.format(token=user.token)
    subject = f"unsubscribe%20{category}" if category else "unsubscribe"
    return {
        "List-Unsubscribe": f"<{url}>, <mailto:{address}?subject={subject}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
