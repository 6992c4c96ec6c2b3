"""Send an account's data as a file."""

from __future__ import annotations

from django.http import HttpRequest, StreamingHttpResponse

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.refusal import Refused
from gemserver.site.account import export
from gemserver.site.account.attempts import consume


def send_export(request: HttpRequest, user: User, name: str) -> StreamingHttpResponse:
    """Send all that is stored about the account, while it is read, as a file of this name.

    Counts by person, with their bots, as "export" of ACCOUNT_RATE_LIMITS. Raises Refused(too-many-exports).
    """
    if consume(request, "export", str(user.family)) is None:
        raise Refused(
            "too-many-exports", "You have downloaded data often enough for today; come back tomorrow."
        )
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(
        export.export(user, now=clock.now()), content_type="application/zip", headers=headers
    )
