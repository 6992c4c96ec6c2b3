"""Pages about matches. Everybody may read them; playing goes through `submit`, which decides what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponsePermanentRedirect,
    JsonResponse,
)
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gemserver.accounts.guests import player_of
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import records, selectors
from gemserver.matches.accepted_words import say_accepted
from gemserver.matches.actions.play.preview import LONGEST_TEXT, NO_DRAFT, Draft, try_out
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.actions.time import come_back as action
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.readers import Reader
from gemserver.matches.refusal import Refused
from gemserver.matches.said import open_reader
from gemserver.matches.share_links import find_share_links
from gemserver.site.days_forms import HolidayForm
from gemserver.site.lookups import find_match, find_reader
from gemserver.site.match.deal_page import DealPage
from gemserver.site.match.match_page import MatchPage
from gemserver.site.match.move_forms import MoveForm, read_text
from gemserver.site.match.move_steps import MoveSteps
from gemserver.site.match.move_tree import MoveTree, answer_with_tree
from gemserver.site.match.order_page import OrderPanel
from gemserver.site.match.ply_page import read_plies, read_ply_page
from gemserver.site.match.progress import find_own, progress_word, show_progress
from gemserver.site.match.sitter_page import SitterForm, SitterPanel
from gemserver.site.match.talk_page import UNTYPED, NotesPanel, TalkPanel, Typed
from gemserver.site.news import answer_news
from gemserver.site.tables.table_views import show_table


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def match(request: HttpRequest, code: str) -> HttpResponse:
    """The match as its reader may see it; POST plays, previews or continues a move."""
    player = player_of(request)
    if request.method == "POST" and isinstance(player, User):
        return _answer(request, player, code)
    reader = find_reader(code, player, clock.now())
    if request.method == "POST":
        return redirect_to_login(reader.match.get_absolute_url())
    begun = _begin(request.GET.get("move", ""), player, reader)
    return show_match(request, reader, Entered(begun), is_look=True)


def _begin(text: str, player: User | AnonymousUser, reader: Reader) -> Draft:
    """The draft of a move that a link on the board has begun; empty if the reader is not asked any more."""
    if not text or not isinstance(player, User) or not reader.played:
        return Draft()
    actor, prompt = Actor.player(player), reader.played.prompt_ply
    try:
        return try_out(reader.match, actor, text[:LONGEST_TEXT], prompt, is_partial=True, now=clock.now())
    except Refused as refusal:
        return Draft() if refusal.kind == "refused" else Draft(text, refusal=refusal.text())


@dataclass(frozen=True, slots=True)
class Entered:
    """Entered on the page of a match by its reader: a move, or something else that was refused."""

    move: Draft = NO_DRAFT
    said: Typed = UNTYPED
    note: Typed = UNTYPED
    plan: Typed = UNTYPED
    sitter: SitterForm | None = None
    holiday: HolidayForm | None = None

    @property
    def refusal(self) -> str:
        """Why a text was refused; empty if none was."""
        return self.move.refusal or self.said.refusal or self.note.refusal or self.plan.refusal


NOTHING = Entered()


def show_match(
    request: HttpRequest, reader: Reader, entered: Entered = NOTHING, *, is_look: bool = False
) -> HttpResponse:
    """Render the page with what was entered, and status 422 if that was refused; a table if the match has not begun.

    `is_look` notes that the reader has looked at their turn and at the talk.
    """
    match = reader.match
    if not match.is_offered:
        context = {"match": match, "seats": match.read_seats()}
        return render(request, "matches/removed_game.html", context)
    if not match.position:
        refusal = entered.move.refusal or entered.note.refusal
        return show_table(request, match, refusal, said=entered.said, is_look=is_look)
    user = request.user if isinstance(request.user, User) else None
    visitor = user if reader.seat is None else None
    shows_whole_log = request.GET.get("log") == "all"
    page = MatchPage(match, reader.seat, reader.sitting, entered.move, shows_whole_log, visitor)
    if is_look:
        page.note_look(clock.now())
    own = reader.seat if user else None
    talk = TalkPanel(own, entered.said, request.GET.get("talk") == "all", page.log_rows) if own else None
    if is_look and talk:
        talk.note_look()
    orders = OrderPanel(match, own, page.log_rows, entered.plan) if own and match.is_running else None
    context = {
        "page": page,
        "match": match,
        # While the match runs, only strangers' programs ask for them.
        "links": find_share_links(match) if match.is_over or not user else None,
        "steps": MoveSteps(page),
        "tree": MoveTree(page) if page.can_answer and page.is_undrafted else None,
        "progress": _find_progress(page, user, talk, orders),
        "talk": talk,
        "notes": NotesPanel(own, entered.note) if own else None,
        "orders": orders,
    }
    if user and match.is_running:
        context["sitter"] = SitterPanel(page.sittings, user, clock.now(), entered.sitter or SitterForm())
        context["holiday_form"] = entered.holiday or HolidayForm()
    status = 422 if entered.refusal or entered.sitter or entered.holiday else 200
    return render(request, "matches/match.html", context, status=status)


def _find_progress(
    page: MatchPage, user: User | None, talk: TalkPanel | None, orders: OrderPanel | None
) -> str:
    """The word of `show_progress`, from what the page has read already."""
    own_rows: list[int] = []
    if user and page.match.is_running:
        plans = [orders.plan] if orders and orders.plan else []
        own_rows = find_own(user, plans, page.sittings)
    spoken = talk.number if talk else None
    return progress_word(page.match, len(page.log_rows.notices), spoken, own_rows, page.rematch)


def _answer(request: HttpRequest, user: User, code: str) -> HttpResponse:
    """Handle one of three buttons: `choose` (a step of a move), `preview`, or play."""
    typed = request.POST.get("choose", read_text(request.POST))
    form = MoveForm({**request.POST.dict(), "text": typed})
    if not form.is_valid():
        refused = Draft(typed, refusal=form.sentence())
        return show_match(request, find_reader(code, user, clock.now()), Entered(refused))
    try:
        if "choose" in request.POST or "preview" in request.POST:
            return _show_draft(request, user, code, form.cleaned_data)
        return _play(request, user, code, form.cleaned_data)
    except Refused as refusal:
        reader = find_reader(code, user, clock.now())
        draft = Draft(form.cleaned_data["text"], refusal=refusal.text())
        if reader.seat and refusal.kind == "invalid" and "choose" not in request.POST:
            draft = _read_words(reader.match, reader.seat, user, form.cleaned_data["prompt_ply"], draft)
        return show_match(request, reader, Entered(draft))


def _read_words(match: Match, seat: Seat, user: User, prompt_ply: int | None, refused: Draft) -> Draft:
    """The one move that was written in other words, to be looked at before it is played; else what may be meant."""
    names, words = selectors.names(match), open_reader(match, seat)
    if found := words.find(refused.text, names):
        with suppress(Refused):
            actor = Actor.player(user)
            draft = try_out(match, actor, found, prompt_ply, is_partial=False, now=clock.now())
            return replace(draft, said=refused.text)
    return replace(refused, offered=words.offer(refused.text, names))


def _show_draft(request: HttpRequest, user: User, code: str, move: Mapping[str, Any]) -> HttpResponse:
    """Show the page with the move as a draft. Raises Refused."""
    reader, now = find_reader(code, user, clock.now()), clock.now()
    draft = try_out(
        reader.match,
        Actor.player(user),
        move["text"],
        move["prompt_ply"],
        is_partial="choose" in request.POST,
        now=now,
    )
    return show_match(request, reader, Entered(draft))


def _play(request: HttpRequest, user: User, code: str, move: Mapping[str, Any]) -> HttpResponse:
    """Play the move. Raises Refused."""
    accepted = submit(
        Request(
            code,
            Actor.player(user),
            move["text"],
            Move.Source.WEB,
            str(move["request_id"]),
            move["prompt_ply"],
        ),
        now=clock.now(),
    )
    messages.success(request, say_accepted(accepted))
    return redirect("match", code)


@never_cache
@require_safe
def moves(request: HttpRequest, code: str) -> HttpResponse:
    """The ways to go on from some beginnings of the reader's move (`from`), as `MoveTree.read` returns them.

    Fetched ahead by the page that shows the prompt `prompt`; empty (204) once another one is open, or none.
    """
    reader = find_reader(code, player_of(request), clock.now())
    match, page = reader.match, MatchPage(reader.match, reader.seat, reader.sitting)
    if not (match.is_running and match.is_offered and page.played and page.can_answer):
        return HttpResponse(status=204)
    if request.GET.get("prompt") != str(page.played.prompt_ply):
        return HttpResponse(status=204)
    return answer_with_tree(request, page)


@login_required
@require_POST
def take_over(request: HttpRequest, code: str, index: int) -> HttpResponse:
    """Take over a seat that a bot holds, as its substitute."""
    assert isinstance(request.user, User)
    reader = find_reader(code, request.user, clock.now())
    found = reader.match
    try:
        take_seat(found.pk, index, request.user, now=clock.now())
    except Refused as refusal:
        return show_match(request, reader, Entered(Draft(refusal=refusal.text())))
    messages.success(request, _("The seat is yours."))
    return redirect(found)


@login_required
@require_POST
def come_back(request: HttpRequest, code: str) -> HttpResponse:
    """Take one's own seat back from the bot that plays on without time."""
    assert isinstance(request.user, User)
    reader = find_reader(code, request.user, clock.now())
    try:
        action.come_back(reader.match.pk, request.user, now=clock.now())
    except Refused as refusal:
        return show_match(request, reader, Entered(Draft(refusal=refusal.text())))
    messages.success(request, _("You play again."))
    return redirect(reader.match)


@never_cache
@require_safe
def ply(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """The board after one ply, as its reader may see it."""
    reader = find_reader(code, player_of(request), clock.now())
    page = read_ply_page(
        reader.match,
        reader.played,
        number,
        shows_whole_log=request.GET.get("log") == "all",
        is_own=reader.sitting is None,
    )
    links = find_share_links(reader.match, number)
    return render(request, "matches/ply.html", {"page": page, "match": reader.match, "links": links})


@never_cache
@require_safe
def plies(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Some plies from that one on, as their pages show them, for the page that steps through them."""
    reader = find_reader(code, player_of(request), clock.now())
    found = read_plies(reader.match, reader.played, number, is_own=reader.sitting is None)
    return JsonResponse(found.as_json())


@never_cache
@require_safe
def progress(request: HttpRequest, code: str) -> HttpResponse:
    """The news of a page of the match, with its progress as one word."""
    found, seat = find_match(code, request.user)
    return answer_news(request, show_progress(found, seat, request.user), found)


@never_cache
@require_safe
def deal(request: HttpRequest, code: str) -> HttpResponse:
    """The deal, and how to check it."""
    found, seat = find_match(code, request.user)
    return render(request, "matches/deal.html", {"match": found, "seat": seat, "page": DealPage(found)})


@never_cache
@require_safe
def record(request: HttpRequest, code: str) -> HttpResponse:
    """Download the record of a match that has begun."""
    found, _seat = find_match(code, request.user)
    if not found.position:
        raise Http404
    response = HttpResponse(records.record_text(found), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{found.code}.match"'
    return response


def to_capitals(request: HttpRequest, code: str, rest: str = "") -> HttpResponse:
    """Lead from an address with the code in small letters to the one in capitals, with the same method and form."""
    way = request.get_full_path().replace(f"/{code}", f"/{code.upper()}", 1)
    return HttpResponsePermanentRedirect(way, preserve_request=True)
