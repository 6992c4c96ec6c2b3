"""The pages of clubs, and the views behind their buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from gemserver.accounts.guests import signed_in_user
from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.lib import clock
from gemserver.lib.web.sent_number import read_number
from gemserver.matches.actions.clubs.join_club import invite_member, join_club, take_back_request, turn_down
from gemserver.matches.actions.clubs.leave_club import leave_club, remove_member, set_role
from gemserver.matches.actions.clubs.open_club import change_club, close_club, open_club
from gemserver.matches.actions.clubs.post_news import post_news, remove_news
from gemserver.matches.actions.clubs.post_to_list import set_list_mode
from gemserver.matches.actions.clubs.report_club import report_club
from gemserver.matches.actions.talk.report_abuse import LONGEST_REPORT
from gemserver.matches.clubs.club_page import ClubPage, ClubsPage
from gemserver.matches.clubs.clubs import find_club, require_owner
from gemserver.matches.mails.club_mails import club_address
from gemserver.matches.refusal import Refused
from gemserver.site.clubs.club_forms import ClubForm, NewClubForm


@never_cache
@require_safe
def clubs(request: HttpRequest) -> HttpResponse:
    """The list of clubs."""
    page = ClubsPage(signed_in_user(request), request.GET.get("page", ""))
    return render(request, "clubs/clubs.html", {"page": page, "nav": "clubs"})


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_club(request: HttpRequest) -> HttpResponse:
    """Open a club; a refused form keeps its input."""
    form = NewClubForm(request.POST if request.method == "POST" else None)
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            club = open_club(_player(request), **form.cleaned_data, now=clock.now())
        except Refused as refused:
            refusal = refused.text()
        else:
            messages.success(request, _("Your club is open. Invite people, or open a table for it."))
            return redirect("club", club.slug)
    context = {"form": form, "refusal": refusal, "nav": "clubs"}
    return render(request, "clubs/new_club.html", context, status=422 if refusal or form.errors else 200)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Change what the club says about itself, as an owner; a refused form keeps its input."""
    player, club = _player(request), _find(slug, request)
    try:
        require_owner(club, player)
    except Refused as refused:
        messages.error(request, refused.text())
        return redirect("club", club.slug)
    fields = ("name", "about", "is_private", "is_asked_first")
    initial = {name: getattr(club, name) for name in fields}
    form = ClubForm(request.POST if request.method == "POST" else None, initial=initial)
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            change_club(club.pk, player, **form.cleaned_data, now=clock.now())
        except Refused as refused:
            refusal = refused.text()
        else:
            messages.success(request, _("Saved."))
            return redirect("club", club.slug)
    context = {"form": form, "club": club, "refusal": refusal, "nav": "clubs"}
    return render(request, "clubs/edit_club.html", context, status=422 if refusal or form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a club; POST carries out the action named by `do`, and shows the page with the reason if refused."""
    found = _find(slug, request)
    if request.method != "POST":
        return _show(request, found)
    if not isinstance(request.user, User):
        return redirect_to_login(request.path)
    change = _CHANGES.get(request.POST.get("do", ""))
    if change is None:
        return redirect("club", found.slug)
    try:
        messages.success(request, change(request, request.user, found))
    except Refused as refusal:
        return _show(request, found, refusal.text())
    is_out = found.is_private and not found.members.filter(user=request.user).exists()
    return redirect("clubs") if is_out else redirect("club", found.slug)


def _show(request: HttpRequest, found: Club, refusal: str = "") -> HttpResponse:
    context = {
        "page": ClubPage(found, signed_in_user(request)),
        "club": found,
        "refusal": refusal,
        "typed": request.POST if refusal else {},
        "roles": Member.Role.choices,
        "modes": Member.ListMode.choices,
        "address": club_address(found),
        "longest_report": LONGEST_REPORT,
        "nav": "clubs",
    }
    return render(request, "clubs/club.html", context, status=422 if refusal else 200)


def _join(request: HttpRequest, user: User, found: Club) -> str:
    joined = join_club(found.pk, user, now=clock.now())
    return _("You belong to the club.") if isinstance(joined, Member) else _("You have asked to join.")


def _take_back(request: HttpRequest, user: User, found: Club) -> str:
    take_back_request(found.pk, user)
    return _("You do not join.")


def _leave(request: HttpRequest, user: User, found: Club) -> str:
    leave_club(found.pk, user, heir=request.POST.get("heir", ""), now=clock.now())
    return _("You have left the club.")


def _invite(request: HttpRequest, user: User, found: Club) -> str:
    name = request.POST.get("name", "")
    joined = invite_member(found.pk, user, name, now=clock.now())
    if isinstance(joined, Member):
        return _("%(name)s belongs to the club.") % {"name": joined.user.username}
    return _("Invited: %(whom)s.") % {"whom": joined.user.username}


def _turn_down(request: HttpRequest, user: User, found: Club) -> str:
    turn_down(found.pk, user, request.POST.get("name", ""))
    return _("Saved.")


def _remove(request: HttpRequest, user: User, found: Club) -> str:
    name = request.POST.get("name", "")
    remove_member(found.pk, user, name, now=clock.now())
    return _("%(name)s does not belong to the club any more.") % {"name": name}


def _set_role(request: HttpRequest, user: User, found: Club) -> str:
    role = request.POST.get("role", "")
    chosen = Member.Role(role) if role in Member.Role.values else Member.Role.MEMBER
    set_role(found.pk, user, request.POST.get("name", ""), chosen)
    return _("Saved.")


def _post(request: HttpRequest, user: User, found: Club) -> str:
    post_news(found.pk, user, request.POST.get("text", ""), now=clock.now())
    return _("Your news is posted.")


def _remove_news(request: HttpRequest, user: User, found: Club) -> str:
    remove_news(found.pk, user, read_number(request.POST.get("news", "")) or 0)
    return _("The news is removed.")


def _report(request: HttpRequest, user: User, found: Club) -> str:
    report_club(found.pk, user, request.POST.get("why", ""), now=clock.now())
    return _("Your report is with the moderators. You get a mail with their answer.")


def _close(request: HttpRequest, user: User, found: Club) -> str:
    close_club(found.pk, user, now=clock.now())
    return _("The club is closed. Its matches go on.")


def _set_mail(request: HttpRequest, user: User, found: Club) -> str:
    mode = request.POST.get("mode", "")
    chosen = Member.ListMode(mode) if mode in Member.ListMode.values else Member.ListMode.OFF
    set_list_mode(found.pk, user, chosen)
    return _("Saved.")


_CHANGES: Mapping[str, Callable[[HttpRequest, User, Club], str]] = {
    "join": _join,
    "take-back": _take_back,
    "leave": _leave,
    "invite": _invite,
    "accept": _invite,
    "turn-down": _turn_down,
    "remove": _remove,
    "role": _set_role,
    "post": _post,
    "remove-news": _remove_news,
    "mail": _set_mail,
    "report": _report,
    "close": _close,
}


def _find(slug: str, request: HttpRequest) -> Club:
    try:
        return find_club(slug, request.user)
    except Refused as refusal:
        raise Http404 from refusal


def _player(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
