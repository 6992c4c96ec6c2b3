"""Pages of the puzzle of the day: the list, and one day's with the form that answers it.

Anybody may try; the answer of who is signed in is kept while it counts, all others are judged and forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from gemserver.accounts.guests import player_of
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.refusal import Refused
from gemserver.matches.said import in_notation
from gemserver.puzzles.answers import (
    LONGEST_TEXT,
    Figures,
    answer,
    count_answers,
    count_of,
    find_answers,
    judge,
    measure_streak,
)
from gemserver.puzzles.days import find_posed, is_over, posed_puzzles, today_of
from gemserver.puzzles.models import Answer, StoredPuzzle
from gemserver.puzzles.posed import PosedPuzzle, Solution, say_figures, say_streak, show_hour
from gemserver.puzzles.subscribing import subscribe, unsubscribe
from gemserver.site.match.move_steps import MoveSteps
from gemserver.site.match.move_tree import MoveTree, answer_with_tree
from gemserver.site.puzzles.puzzle_page import PuzzlePage

LISTED = 60
"""Days on one page of the list."""


@dataclass(frozen=True, slots=True)
class Line:
    """A day in the list: the reader's answer to its puzzle, and how many have found it."""

    stored: StoredPuzzle
    answer: Answer | None
    told: str


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def puzzles(request: HttpRequest) -> HttpResponse:
    """Today's puzzle and the earlier ones (`before`: a day); POST begins or ends the mail with it (`do`)."""
    player, now = player_of(request), clock.now()
    if request.method == "POST":
        return _subscribe(request)
    before = _read_day(request.GET["before"]) if "before" in request.GET else None
    posed = posed_puzzles(player, now)
    found = list((posed.filter(day__lt=before) if before else posed)[: LISTED + 1])
    rows, today = found[:LISTED], today_of(player, now)
    answers, figures = find_answers(rows, player), count_answers(rows)
    lines = [Line(row, answers.get(row.pk), say_figures(figures.get(row.pk, Figures(0, 0)))) for row in rows]
    is_signed_in = isinstance(player, User) and not player.is_guest
    subscription = getattr(player, "puzzle_subscription", None) if is_signed_in else None
    context = {
        "nav": "puzzles",
        "today": next((line for line in lines if line.stored.day == today), None),
        "earlier": [line for line in lines if line.stored.day != today],
        "is_first": before is None,
        "more": rows[-1].day if len(found) > LISTED else None,
        "streak": say_streak(measure_streak(player, now)) if isinstance(player, User) else "",
        "is_signed_in": is_signed_in,
        "subscription": subscription,
        "sent_at": show_hour(subscription.next_at) if subscription else "",
    }
    return render(request, "puzzles/puzzles.html", context)


def _subscribe(request: HttpRequest) -> HttpResponse:
    """Begin or end the mail with each day's puzzle."""
    user = request.user
    if not isinstance(user, User):
        return redirect_to_login(request.get_full_path())
    try:
        if request.POST.get("do") == "on":
            subscribe(user, now=clock.now())
            messages.success(request, _("You get each day's puzzle by mail from tomorrow on."))
        else:
            unsubscribe(user)
            messages.success(request, _("You get no more puzzles by mail."))
    except Refused as refusal:
        messages.error(request, refusal.text())
    return redirect("puzzles")


def _read_day(text: str) -> date:
    """A day as addresses have it, 2026-11-25. Raises Http404."""
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise Http404 from error
    if day.isoformat() != text:
        raise Http404
    return day


def _find(request: HttpRequest, day: str) -> PuzzlePage:
    """The page of a puzzle for its reader. Raises Http404, and Refused where it may not be shown now."""
    player, now = player_of(request), clock.now()
    try:
        stored, puzzle = find_posed(_read_day(day), player, now)
    except Refused as refusal:
        if refusal.code == "no-such-puzzle":
            raise Http404 from refusal
        raise
    assert stored.day is not None
    solution = Solution.find(stored, puzzle, player, now)
    return PuzzlePage(
        PosedPuzzle(stored, puzzle),
        solution,
        can_return=solution is not None,
        wanted=request.GET.get("show"),
        is_kept=isinstance(player, User) and not player.is_guest and not is_over(stored.day, now),
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def puzzle(request: HttpRequest, day: str) -> HttpResponse:
    """A puzzle (`choose`: with a move that is being built; `try`: once more, when it is over); POST answers it.

    `show`: with the solution, the board after that move; empty for the position that was posed.
    """
    try:
        page = _find(request, day)
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect("puzzles")
    if page.solution and not page.is_kept and ("try" in request.GET or request.method == "POST"):
        page = replace(page, solution=None)  # the day is over: whoever likes may try before they look
    if request.method != "POST":
        begun = request.GET.get("choose", "") if page.can_answer else ""
        return _show(request, replace(page, begun=begun[:LONGEST_TEXT]))
    if "choose" in request.POST:
        chosen = request.POST["choose"][:LONGEST_TEXT]
        return redirect(f"{page.address}?{urlencode({'choose': chosen})}#move" if chosen else page.address)
    return _answer(request, page, request.POST.get("text", ""))


def _answer(request: HttpRequest, page: PuzzlePage, text: str) -> HttpResponse:
    """Keep the answer, and show its page anew; one that does not count is judged on the spot."""
    stored, found = page.posed.stored, page.posed.puzzle
    typed = text[: LONGEST_TEXT + 1]
    move = in_notation(found.game, found.state, found.seat, typed, found.record.players)
    try:
        if page.is_kept:
            assert isinstance(request.user, User)
            answer(stored, found, request.user, move, now=clock.now())
            return redirect(f"{page.address}#answer")
        judged = judge(found, move)
    except Refused as refusal:
        if refusal.code == "already-answered":
            messages.error(request, refusal.text())
            return redirect(page.address)
        return _show(request, replace(page, typed=typed[:LONGEST_TEXT], refusal=refusal.text()))
    return _show(request, replace(page, solution=Solution(stored, found, judged, count_of(stored))))


def _show(request: HttpRequest, page: PuzzlePage) -> HttpResponse:
    player = player_of(request)
    is_counted = page.is_kept and page.solution is not None
    context = {
        "nav": "puzzles",
        "page": page,
        "match": page.match,
        "steps": MoveSteps(page),
        "tree": MoveTree(page) if page.can_answer and not page.begun else None,
        "streak": say_streak(measure_streak(player, clock.now()))
        if is_counted and isinstance(player, User)
        else "",
    }
    return render(request, "puzzles/puzzle.html", context, status=422 if page.refusal else 200)


@never_cache
@require_safe
def moves(request: HttpRequest, day: str) -> HttpResponse:
    """The ways to go on from some beginnings of a move (`from`), fetched ahead by the page."""
    try:
        page = replace(_find(request, day), solution=None)
    except Refused:
        return HttpResponse(status=204)
    return answer_with_tree(request, page)
