"""Pages of tables that wait for players: opening one, and the views behind its buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import registry
from gemserver.accounts.guests import player_of, signed_in_user
from gemserver.accounts.models import User
from gemserver.accounts.names import LONGEST
from gemserver.clubs.selectors import clubs_of
from gemserver.lib import clock
from gemserver.lib.web.sent_number import read_number
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.change_terms import change_terms
from gemserver.matches.actions.tables.give_part import give_part
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.leave_table import cancel_table, leave_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.promise_secret import promise_secret
from gemserver.matches.actions.tables.remove_player import remove_player
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.who_may_sit import is_link
from gemserver.site.lookups import find_game, find_match
from gemserver.site.match.talk_page import UNTYPED, TalkPanel, Typed
from gemserver.site.news import answer_news
from gemserver.site.tables.last_choices import choices_of, last_choices
from gemserver.site.tables.table_forms import NewTableForm, TermsForm
from gemserver.site.tables.table_page import TablePage


@never_cache
@login_required
@require_safe
def choose_game(request: HttpRequest) -> HttpResponse:
    """The first step of opening a table, for a club or to invite somebody if the address says so."""
    asked = {name: request.GET[name] for name in ("club", "invite") if request.GET.get(name)}
    context = {"games": list(registry.GAMES.values()), "query": f"?{urlencode(asked)}" if asked else ""}
    return render(request, "matches/choose_game.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest, game: str) -> HttpResponse:
    """Open a table of one game; the form begins with the player's last choices, and keeps its input if refused.

    `invite` in the address names a player, whom the table's page then proposes to invite.
    """
    assert isinstance(request.user, User)
    meta = find_game(game).rules.meta
    data = request.POST if request.method == "POST" else None
    initial = {**last_choices(request.user, meta), "club": request.GET.get("club", "")}
    form = NewTableForm(meta, data, clubs=list(clubs_of(request.user)), initial=initial)
    refusal, invited = "", request.GET.get("invite", "")[:LONGEST]
    if request.method == "POST" and form.is_valid():
        try:
            words, promised = form.cleaned_data["words"], request.POST.get("promised", "")
            match = open_table(request.user, form.terms(), words=words, promised=promised, now=clock.now())
        except Refused as refused:
            refusal = refused.text()
        else:
            messages.success(request, _say_opened(match))
            proposed = f"?{urlencode({'whom': invited})}" if invited and not match.is_running else ""
            return redirect(f"{match.get_absolute_url()}{proposed}")
    status = 422 if refusal or form.errors else 200
    promised = promise_secret(request.user, now=clock.now())
    context = {"form": form, "meta": meta, "refusal": refusal, "promised": promised, "invited": invited}
    return render(request, "matches/new_table.html", context, status=status)


def _say_opened(match: Match) -> str:
    if match.is_running:
        return _("The match has begun.")
    return _("Your table is open. Invite your friends, or wait for players.")


def show_table(
    request: HttpRequest,
    match: Match,
    refusal: str = "",
    link: str = "",
    *,
    said: Typed = UNTYPED,
    is_look: bool = False,
) -> HttpResponse:
    """Render the page of a match that has not begun, with the talk of the table for its players.

    `is_look` notes that the reader has looked at the talk.
    """
    reader = signed_in_user(request)
    page = TablePage(match, reader, link)
    talk = TalkPanel(page.seat, said, shows_all=request.GET.get("talk") == "all") if page.seat else None
    if is_look and talk:
        talk.note_look()
    context = {
        "page": page,
        "match": match,
        "refusal": refusal,
        "typed": request.POST if refusal else {"whom": request.GET.get("whom", "")},
        "talk": talk,
    }
    status = 422 if refusal or said.refusal else 200
    return render(request, "matches/table.html", context, status=status)


@never_cache
@require_safe
def by_link(request: HttpRequest, code: str, token: str) -> HttpResponse:
    """The table as seen through its link, which lets anybody join."""
    match, seat = find_match(code, request.user)
    if not is_link(match, token):
        raise Http404
    return redirect(match) if seat or not match.is_open else show_table(request, match, link=token)


@never_cache
@require_safe
def progress(request: HttpRequest, code: str) -> HttpResponse:
    """The progress of the table, for pages that wait."""
    match, _seat = find_match(code, request.user)
    page = TablePage(match, signed_in_user(request))
    return answer_news(request, page.progress, match)


@never_cache
@require_POST
def change_table(request: HttpRequest, code: str) -> HttpResponse:
    """Carry out the action named by `do`; after a refusal, show the table with the reason."""
    match, _seat = find_match(code, request.user)
    change = _CHANGES.get(request.POST.get("do", ""))
    if change is None:
        return redirect(match)
    link = request.POST.get("link", "")
    if not isinstance(request.user, User):
        came_by_link = is_link(match, link)
        return redirect_to_login(
            f"{match.get_absolute_url()}link/{link}/" if came_by_link else match.get_absolute_url()
        )
    try:
        said = change(request, request.user, match)
    except Refused as refusal:
        match.refresh_from_db()
        if match.position:  # it has begun in the meantime
            messages.error(request, refusal.text())
            return redirect(match)
        return show_table(request, match, refusal.text(), link)
    messages.success(request, said)
    return redirect(match)


def _join(request: HttpRequest, user: User, match: Match) -> str:
    link, words = request.POST.get("link", ""), request.POST.get("words", "")
    join_table(match.pk, user, link=link, words=words, now=clock.now())
    return _("You sit at the table.")


def _agree(request: HttpRequest, user: User, match: Match) -> str:
    """Agree to terms that have changed, as they were shown."""
    join_table(match.pk, user, terms=read_number(request.POST.get("terms", "")) or 0, now=clock.now())
    return _("You agree to the terms.")


def _remove(request: HttpRequest, user: User, match: Match) -> str:
    remove_player(match.pk, read_number(request.POST.get("seat", "")) or 0, by=user, now=clock.now())
    return _("The seat is free again.")


def _leave(request: HttpRequest, user: User, match: Match) -> str:
    leave_table(match.pk, user, now=clock.now())
    return _("You have left the table.")


def _start(request: HttpRequest, user: User, match: Match) -> str:
    start_match(match.pk, by=user, now=clock.now())
    return _("The match has begun.")


def _fill(request: HttpRequest, user: User, match: Match) -> str:
    strength = request.POST.get("strength", "")
    bot = Seat.Bot(strength) if strength in Seat.Bot.values and strength else Seat.Bot.EASY
    filled = fill_with_bots(match.pk, bot, by=user, now=clock.now())
    return _("The match has begun.") if filled.is_running else _("Bots sit in the free seats.")


def _give_part(request: HttpRequest, user: User, match: Match) -> str:
    seat = give_part(match.pk, user, request.POST.get("words", ""), now=clock.now())
    return _("Your part of the deal is in. Its fingerprint (SHA-256) is %(part)s.") % {"part": seat.part}


def _invite(request: HttpRequest, user: User, match: Match) -> str:
    invitation = invite(match.pk, user, request.POST.get("whom", ""), now=clock.now())
    if invitation.is_repeat:
        return _("%(whom)s has been invited already, and can still answer.") % {"whom": invitation.whom}
    return _("Invited: %(whom)s.") % {"whom": invitation.whom}


def _withdraw(request: HttpRequest, user: User, match: Match) -> str:
    withdraw_invitation(read_number(request.POST.get("invitation", "")) or 0, user, now=clock.now())
    return _("The invitation is taken back.")


_CHANGES: Mapping[str, Callable[[HttpRequest, User, Match], str]] = {
    "join": _join,
    "agree": _agree,
    "remove": _remove,
    "leave": _leave,
    "start": _start,
    "bots": _fill,
    "part": _give_part,
    "invite": _invite,
    "withdraw": _withdraw,
}


@never_cache
@require_POST
def rematch(request: HttpRequest, code: str) -> HttpResponse:
    """Open the rematch of a finished match, or go to the one that is open already."""
    player = player_of(request)
    over, _seat = find_match(code, player)
    if not isinstance(player, User):
        return redirect_to_login(over.get_absolute_url())
    try:
        match = open_rematch(over.pk, player, now=clock.now())
    except Refused as refusal:
        messages.error(request, refusal.text())
        return redirect(over)
    if match.is_open:
        messages.success(
            request, _("The table of the rematch is open; the others see it on their first page.")
        )
    return redirect(match)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, code: str) -> HttpResponse:
    """GET asks for confirmation, POST cancels the table."""
    assert isinstance(request.user, User)
    match, _seat = find_match(code, request.user)
    if request.method == "POST":
        try:
            cancel_table(match.pk, by=request.user, now=clock.now())
        except Refused as refusal:
            return show_table(request, match, refusal.text())
        messages.success(request, _("The table is cancelled."))
        return redirect(match)
    page = TablePage(match, request.user)
    if not match.is_open or not page.is_host:
        return redirect(match)
    return render(request, "matches/cancel.html", {"match": match, "page": page})


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def terms(request: HttpRequest, code: str) -> HttpResponse:
    """The form with which the host changes the terms; a refused one keeps its input."""
    assert isinstance(request.user, User)
    match, _seat = find_match(code, request.user)
    page = TablePage(match, request.user)
    if not match.is_open or not match.is_offered or not page.is_host:
        return redirect(match)
    meta = match.rules.meta
    chosen = {**choices_of(match, page.seats, meta), "rated": "yes" if match.is_rated else "no"}
    form = TermsForm(meta, request.POST if request.method == "POST" else None, initial=chosen)
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_terms(match.pk, form.terms(), by=request.user, now=clock.now())
        except Refused as refused:
            refusal = refused.text()
        else:
            messages.success(request, _say_changed(changed))
            return redirect(match)
    context = {"match": match, "page": page, "form": form, "meta": meta, "refusal": refusal}
    status = 422 if refusal or form.errors else 200
    return render(request, "matches/terms.html", context, status=status)


def _say_changed(match: Match) -> str:
    if match.is_running:
        return _("The match has begun.")
    if match.seats.filter(has_agreed=False).exists():
        return _("The terms are changed. The others are asked to agree.")
    return _("Saved.")
