"""Views behind talk, notes, blocking and reporting on the page of a match."""

from __future__ import annotations

from hashlib import sha256

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.web.sent_number import read_number
from gemserver.matches import talk
from gemserver.matches.actions.people.block_player import block_player, unblock_player
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.talk.report_abuse import LONGEST_REPORT, report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.talk.write_note import write_note
from gemserver.matches.models import Seat
from gemserver.matches.notifications import Channel, Topic
from gemserver.matches.readers import Reader
from gemserver.matches.refusal import Refused
from gemserver.site.lookups import find_match
from gemserver.site.match.match_views import Entered, show_match
from gemserver.site.match.talk_page import TalkLine, Typed, show_message


@login_required
@require_POST
def say_to_table(request: HttpRequest, code: str) -> HttpResponse:
    """Say something to the table; a refused text stays in the field."""
    assert isinstance(request.user, User)
    found, seat = find_match(code, request.user)
    text = request.POST.get("said", "")
    # The text is part of the request id: a page that a browser has restored sends its old id with new words, and that
    # is no repetition.
    request_id = f"{request.POST.get('request_id', '')}:{sha256(text.encode()).hexdigest()}"
    try:
        say(found.pk, request.user, text, request_id, now=clock.now())
    except Refused as refusal:
        return show_match(request, Reader(found, seat), Entered(said=Typed(text, refusal.text())))
    return redirect(f"{found.get_absolute_url()}#talk")


@login_required
@require_POST
def keep_notes(request: HttpRequest, code: str) -> HttpResponse:
    """Store the player's note; a refused text stays in the field."""
    assert isinstance(request.user, User)
    found, seat = find_match(code, request.user)
    text = request.POST.get("note", "")
    try:
        write_note(found.pk, request.user, text, now=clock.now())
    except Refused as refusal:
        return show_match(request, Reader(found, seat), Entered(note=Typed(text, refusal.text())))
    messages.success(request, _("Your notes are kept."))
    return redirect(f"{found.get_absolute_url()}#notes")


@login_required
@require_POST
def tune_talk(request: HttpRequest, code: str) -> HttpResponse:
    """Handle the buttons `mute`, `unmute`, `block` and `unblock`; the last two name a player."""
    assert isinstance(request.user, User)
    found, seat = find_match(code, request.user)
    if seat is None:
        raise Http404
    try:
        if "block" in request.POST:
            block_player(request.user, request.POST["block"], now=clock.now())
        elif "unblock" in request.POST:
            unblock_player(request.user, request.POST["unblock"])
        else:
            channel = Channel.WEB if "mute" in request.POST else Channel.MAIL
            choose_channels(request.user, found, {Topic.TALK: channel}, now=clock.now())
    except Refused as refusal:
        return show_match(request, Reader(found, seat), Entered(said=Typed("", refusal.text())))
    return redirect(f"{found.get_absolute_url()}#talk")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, code: str) -> HttpResponse:
    """Report the match, or one message of it (`?message=`), to the moderators."""
    assert isinstance(request.user, User)
    found, seat = find_match(code, request.user)
    if seat is None:
        raise Http404
    line = _find_line(seat, request.GET.get("message", ""))
    text = request.POST.get("text", "")
    context = {"match": found, "line": line, "text": text, "longest": LONGEST_REPORT}
    if request.method != "POST":
        return render(request, "matches/report.html", context)
    try:
        message_id = line.message.pk if line else None
        report_abuse(found.pk, request.user, text, now=clock.now(), message_id=message_id)
    except Refused as refusal:
        return render(request, "matches/report.html", context | {"refusal": refusal.text()}, status=422)
    messages.success(request, _("Your report is with the moderators. You get a mail with their answer."))
    return redirect(found)


def _find_line(seat: Seat, named: str) -> TalkLine | None:
    """The message to report; raises Http404 for one that the player cannot read."""
    if not named:
        return None
    assert seat.user is not None
    message = talk.messages_for(seat).filter(pk=read_number(named) or 0).first()
    if message is None:
        raise Http404
    return show_message(message, seat.user)
