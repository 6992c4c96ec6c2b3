"""Pages of what-ifs: begun from a position of a finished match, gone on with by who has begun them, read by all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import registry
from gemserver.accounts.guests import player_of
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.web.sent_number import read_number
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.matches.said import in_notation
from gemserver.site.lookups import find_match
from gemserver.site.match.move_steps import MoveSteps
from gemserver.site.match.move_tree import MoveTree, answer_with_tree
from gemserver.site.match.what_if_page import WhatIfPage
from gemserver.study.studied import may_others_look_back
from gemserver.study.what_if import (
    LONGEST_NAME,
    begin_what_if,
    delete_what_if,
    find_what_if,
    list_own,
    rename_what_if,
    report_what_if,
    try_move,
)

ALL_SEATS = "all"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def what_ifs(request: HttpRequest, code: str) -> HttpResponse:
    """GET lists the reader's what-ifs of a match, with the form that begins one (`ply`); POST begins it."""
    player = player_of(request)
    if not isinstance(player, User):
        return redirect_to_login(request.get_full_path())
    match, _seat = find_match(code, player)
    try:
        own = list(list_own(match, player))
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect(match)
    typed = request.POST if request.method == "POST" else request.GET
    refusal_text = ""
    if request.method == "POST":
        try:
            begun = begin_what_if(
                match,
                player,
                _read_number(typed.get("ply", "")),
                None if typed.get("play") == ALL_SEATS else _read_number(typed.get("play", "")),
                typed.get("name", ""),
                now=clock.now(),
            )
            return redirect("match-what-if-move", match.code, begun.key, len(begun.moves))
        except Refused as refused:
            refusal_text = refused.text()
    context = {
        "match": match,
        "own": own,
        "seats": match.read_seats(),
        "refusal": refusal_text,
        "longest_name": LONGEST_NAME,
        **_read_form(match, player, typed),
    }
    return render(request, "matches/what_ifs.html", context, status=422 if refusal_text else 200)


def _read_form(match: Match, player: User, typed: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the form as they were sent, or as they suit this reader."""
    seat = match.seats.filter(user=player).first()
    return {
        "ply": typed.get("ply", "0")[:10],
        "play": typed.get("play", ALL_SEATS if seat is None else str(seat.index))[:10],
        "name": typed.get("name", "")[: 2 * LONGEST_NAME],
    }


def _read_number(text: str) -> int:
    """A number as people type it; -1, which is none of a move or seat, for anything else."""
    number = read_number(text)
    return -1 if number is None else number


def _find(request: HttpRequest, code: str, key: str, number: int) -> WhatIfPage:
    """The page of a what-if for its reader. Raises Http404, and Refused where it may not be read now."""
    player = player_of(request)
    match, _seat = find_match(code, player)
    try:
        found = find_what_if(match, key, player)
        page = WhatIfPage(
            found,
            number,
            is_own=found.user_id == player.pk,
            may_share=may_others_look_back(match, player),
        )
        page.reached  # noqa: B018  # whether there is such a move
    except Refused as refusal:
        if refusal.code == "no-such-what-if":
            raise Http404 from refusal
        raise
    return page


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def what_if(request: HttpRequest, code: str, key: str, number: int = 0) -> HttpResponse:
    """A position of a what-if (`choose`: with a move that is being built); POST tries a move from it."""
    try:
        page = _find(request, code, key, number)
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect("match", code)
    if request.method != "POST":
        begun = request.GET.get("choose", "") if page.can_answer else ""
        return _show(request, replace(page, begun=begun[:LONGEST_TEXT]))
    if not isinstance(request.user, User):
        return redirect_to_login(page.address)
    if "choose" in request.POST:
        chosen = request.POST["choose"][:LONGEST_TEXT]
        return redirect(f"{page.address}?{urlencode({'choose': chosen})}#move" if chosen else page.address)
    typed = move = request.POST.get("text", "")[: LONGEST_TEXT + 1]
    if page.reached.actor is not None:
        game = registry.game(page.match.game)
        move = in_notation(game, page.reached.state, page.reached.actor, typed, page.names)
    try:
        last = try_move(page.what_if, request.user, number, move, now=clock.now())
    except Refused as refusal:
        return _show(request, replace(page, typed=typed[:LONGEST_TEXT], refusal=refusal.text()))
    return redirect("match-what-if-move", code, key, last)


def _show(request: HttpRequest, page: WhatIfPage) -> HttpResponse:
    is_undrafted = page.can_answer and not page.begun
    context = {
        "page": page,
        "match": page.match,
        "steps": MoveSteps(page),
        "tree": MoveTree(page) if is_undrafted else None,
        "share": request.build_absolute_uri(page.address) if page.may_share else "",
    }
    status = 422 if page.refusal or page.report_refusal else 200
    return render(request, "matches/what_if.html", context, status=status)


@never_cache
@require_safe
def moves(request: HttpRequest, code: str, key: str, number: int) -> HttpResponse:
    """The ways to go on from some beginnings of a move (`from`), fetched ahead by the page; 204 if there are none."""
    try:
        page = _find(request, code, key, number)
    except Refused:
        return HttpResponse(status=204)
    if not page.can_answer:
        return HttpResponse(status=204)
    return answer_with_tree(request, page)


@login_required
@require_POST
def change(request: HttpRequest, code: str, key: str) -> HttpResponse:
    """Rename one's own what-if, or delete it."""
    assert isinstance(request.user, User)
    match, _seat = find_match(code, request.user)
    try:
        if "delete" in request.POST:
            delete_what_if(match, key, request.user)
            messages.success(request, _("The what-if is deleted."))
            return redirect("match-what-ifs", match.code)
        found = find_what_if(match, key, request.user)
        rename_what_if(found, request.user, request.POST.get("name", ""), now=clock.now())
    except Refused as refusal:
        if refusal.code == "no-such-what-if":
            raise Http404 from refusal
        messages.error(request, refusal.text())
        return redirect("match-what-if", match.code, key)
    messages.success(request, _("The name is changed."))
    return redirect(
        "match-what-if-move", match.code, key, max(_read_number(request.POST.get("number", "")), 0)
    )


@login_required
@require_POST
def report(request: HttpRequest, code: str, key: str) -> HttpResponse:
    """Report the name of somebody's what-if to the moderators."""
    assert isinstance(request.user, User)
    try:
        page = _find(request, code, key, 0)
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect("match", code)
    try:
        report_what_if(page.what_if, request.user, request.POST.get("why", ""), now=clock.now())
    except Refused as refusal:
        return _show(request, replace(page, report_refusal=refusal.text()))
    messages.success(request, _("Your report is with the moderators. You get a mail with their answer."))
    return redirect(reverse("match-what-if", args=[code, key]))
