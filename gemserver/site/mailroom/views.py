"""The mail room of the embedded server: every mail as its reader sees it, with a reply box.

An answer goes through the SMTP receiver like any mail; nothing here plays a move.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_safe

from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.web.csp import POLICY
from gemserver.lib.web.sent_number import read_number
from gemserver.notify.models import OutboxMessage
from gemserver.site.embedded_only import embedded_only
from gemserver.site.mailroom import listing
from gemserver.site.mailroom.forms import LetterForm
from gemserver.site.mailroom.letters import Letter
from gemserver.site.mailroom.post import NewMail, NotPosted, post
from gemserver.site.news import answer_news

LETTER_POLICY = (
    "sandbox allow-top-navigation-by-user-activation; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; frame-ancestors 'self'"
)
"""A mail may show itself and follow a clicked link, nothing else."""

VIEWS = ("html", "text", "source")


@embedded_only
@never_cache
@require_safe
def room(request: HttpRequest) -> HttpResponse:
    """All mails, newest first; `?to=` selects one person's, `?before=` older ones."""
    to, before = request.GET.get("to", ""), request.GET.get("before", "")
    listed = listing.read_list(to, read_number(before))
    context = {"nav": "mail-room", "list": listed, "to": to, "addresses": listing.addresses()}
    return render(request, "mailroom/room.html", context | {"lobby": settings.PLAY_ADDRESS})


@embedded_only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def letter(request: HttpRequest, pk: int) -> HttpResponse:
    """One mail in three views, with the reply box below; `?body=` starts the reply (from a ready-made one)."""
    shown = _find(pk)
    form = LetterForm(request.POST or None, initial=_reply_to(shown, request.GET.get("body", "")))
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            row = post(NewMail(**form.cleaned_data, answers=shown))
        except NotPosted as error:
            refusal = str(error)
        else:
            return redirect("mail-room-received", row.pk)
    view = request.GET.get("show")
    context = {
        "nav": "mail-room",
        "letter": shown,
        "form": form,
        "refusal": refusal,
        "view": view if view in VIEWS else "html" if shown.html else "text",
    }
    response = render(request, "mailroom/letter.html", context, status=_status(form, refusal))
    response["Content-Security-Policy"] = f"{POLICY}; frame-src 'self'"
    return response


def _reply_to(shown: Letter, begun: str) -> dict[str, str]:
    return {
        "sender": shown.row.to,
        "to": shown.reply_address,
        "subject": shown.reply_subject,
        "body": f"{begun}\n\n{shown.quoted()}\n",
    }


@embedded_only
@xframe_options_sameorigin
@require_safe
def letter_html(request: HttpRequest, pk: int) -> HttpResponse:
    """The HTML part alone, for the frame."""
    shown = _find(pk)
    response = HttpResponse(shown.html_for_display(reverse("mail-room-letter", args=[pk])))
    response["Content-Security-Policy"] = LETTER_POLICY
    return response


@embedded_only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def compose(request: HttpRequest) -> HttpResponse:
    """Write a new mail, addressed to the lobby by default."""
    form = LetterForm(
        request.POST or None, initial={"sender": _own_address(request), "to": settings.PLAY_ADDRESS}
    )
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            row = post(NewMail(**form.cleaned_data))
        except NotPosted as error:
            refusal = str(error)
        else:
            return redirect("mail-room-received", row.pk)
    context = {"nav": "mail-room", "form": form, "refusal": refusal}
    return render(request, "mailroom/compose.html", context, status=_status(form, refusal))


def _own_address(request: HttpRequest) -> str:
    """The signed-in player's address, else the last one that mail was sent to."""
    own = EmailAddress.objects.filter(user_id=request.user.pk, verified=True).order_by("-primary").first()
    last = OutboxMessage.objects.order_by("-pk").first()
    return own.email if own else last.to if last else ""


@embedded_only
@never_cache
@require_safe
def received(request: HttpRequest, pk: int) -> HttpResponse:
    """A received mail, with its results and the answers to it."""
    row = get_object_or_404(InboundEmail.objects.select_related("seat__match"), pk=pk)
    context = {
        "nav": "mail-room",
        "row": row,
        "results": [LineResult.from_json(result) for result in row.results],
        "answers": _answers(row),
        "progress": _progress(row),
        "text": bytes(row.raw or b"").decode("utf-8", "replace"),
    }
    return render(request, "mailroom/received.html", context)


@embedded_only
@never_cache
@require_safe
def received_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """State and number of answers as one word; a page that shows another word is out of date."""
    row = get_object_or_404(InboundEmail, pk=pk)
    return answer_news(request, _progress(row))


def _answers(row: InboundEmail) -> list[Letter]:
    """The answers to this mail and everything sent to its writer since, oldest first."""
    sent = OutboxMessage.objects.filter(state=OutboxMessage.State.SENT, rendered__isnull=False)
    later = sent.filter(to=comparable(row.sender or row.envelope_from), created_at__gte=row.received_at)
    return [Letter(each) for each in (later | sent.filter(data__inbound=row.pk)).order_by("pk")[:20]]


def _progress(row: InboundEmail) -> str:
    return f"{row.state}-{len(_answers(row))}"


def _find(pk: int) -> Letter:
    return Letter(get_object_or_404(OutboxMessage, pk=pk, rendered__isnull=False))


def _status(form: LetterForm, refusal: str) -> int:
    if refusal:
        return 503
    return 422 if form.errors else 200
