"""Pages of a tutorial, for everybody. Nothing is kept of a try: it stands in the address, and the rules judge it."""

from __future__ import annotations

from zlib import crc32

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from games.tutorial import Step, Tutorial
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.matches.offered.tutorials import begin_lesson
from gemserver.site.lookups import find_game
from gemserver.site.match.move_steps import MoveSteps
from gemserver.site.match.move_tree import MoveTree, answer_with_tree
from gemserver.site.tutorial.tutorial_page import StepPage


def _find(slug: str, name: str) -> tuple[Tutorial, Step]:
    """The tutorial and its step; raises Http404."""
    tutorial = begin_lesson(slug)
    step = tutorial.find(name) if tutorial else None
    if tutorial is None or step is None:
        raise Http404
    return tutorial, step


@never_cache
@require_safe
def tutorial(request: HttpRequest, slug: str) -> HttpResponse:
    """The beginning of a tutorial with a list of its steps; the rules for a game that has none."""
    find_game(slug)
    found = begin_lesson(slug)
    if found is None:
        return redirect("rules", slug)
    context = {"meta": found.game.rules.meta, "tutorial": found, "page": StepPage(found, found.steps[0])}
    return render(request, "tutorial/tutorial.html", context)


@never_cache
@require_safe
def step(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One step; `text` is a try, `choose` a move that is still being built."""
    found, shown = _find(slug, name)
    begun = request.GET.get("choose")
    page = StepPage(
        found, shown, request.GET.get("text") if begun is None else None, (begun or "")[:LONGEST_TEXT]
    )
    context = {
        "page": page,
        "match": page.match,
        "steps": MoveSteps(page),
        "tree": MoveTree(page) if page.can_answer and not page.begun else None,
    }
    return render(request, "tutorial/step.html", context)


@never_cache
@require_safe
def moves(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The ways to go on from some beginnings of a move (`from`), fetched ahead by the page."""
    page = StepPage(*_find(slug, name))
    return answer_with_tree(request, page)


@cache_control(private=True, no_cache=True)
@require_safe
def picture(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The position of a step as a picture of its own, for the page of the rules."""
    drawing = StepPage(*_find(slug, name)).picture.svg
    tag = f'"{crc32(drawing.encode())}"'
    return get_conditional_response(request, tag) or HttpResponse(
        drawing, content_type="image/svg+xml", headers={"ETag": tag}
    )
