"""The pages of events, and the views behind their buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games import registry
from gemserver.accounts.guests import signed_in_user
from gemserver.accounts.models import User
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.close_event import close_event
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.correct_points import correct_points
from gemserver.events.actions.enter import enter
from gemserver.events.actions.open_event import open_event
from gemserver.events.actions.replace_player import propose_replacement, take_back_replacement
from gemserver.events.actions.report_event import report_event
from gemserver.events.actions.share_event import add_organiser, remove_organiser
from gemserver.events.actions.start_season import start_season
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Fixture, Replacement, Season
from gemserver.events.rights import may_see
from gemserver.events.selectors import find_event
from gemserver.events.words import name_of
from gemserver.lib import clock
from gemserver.lib.text.plain import colon
from gemserver.lib.web.sent_number import read_number
from gemserver.matches.actions.talk.report_abuse import LONGEST_REPORT
from gemserver.matches.named_players import require_player
from gemserver.matches.refusal import Refused
from gemserver.site.events.event_forms import (
    AdjudicateForm,
    CorrectForm,
    DecideForm,
    EnterForm,
    NewEventForm,
    ReplaceForm,
    ShareForm,
    games_to_choose,
)
from gemserver.site.events.event_page import EventPage, EventsPage
from gemserver.site.lookups import find_game


@never_cache
@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """The list of events."""
    return render(
        request, "events/events.html", {"page": EventsPage(signed_in_user(request)), "nav": "events"}
    )


@never_cache
@login_required
@require_safe
def choose_event_game(request: HttpRequest) -> HttpResponse:
    """The first step of opening an event."""
    return render(request, "events/choose_game.html", {"games": games_to_choose(), "nav": "events"})


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_event(request: HttpRequest, game: str) -> HttpResponse:
    """Open an event of one game; a refused form keeps its input."""
    assert isinstance(request.user, User)
    meta = find_game(game).rules.meta
    form = NewEventForm(meta, request.user, request.POST if request.method == "POST" else None)
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            event = open_event(request.user, form.terms(), now=clock.now())
        except Refused as refused:
            refusal = refused.text()
        else:
            messages.success(
                request, _("The event is open for entries. Enter it yourself, and invite others.")
            )
            return redirect("event", event.slug)
    context = {"form": form, "meta": meta, "refusal": refusal, "nav": "events"}
    return render(request, "events/new_event.html", context, status=422 if refusal or form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def event(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """The page of an event and one season; POST carries out what `do` names, and says why if it is refused."""
    reader = signed_in_user(request)
    try:
        page = EventPage(find_event(slug, reader), reader, number)
    except Refused as refused:
        raise Http404 from refused
    if request.method != "POST":
        return _show(request, page)
    if reader is None:
        return redirect_to_login(request.path)
    change = _CHANGES.get(request.POST.get("do", ""))
    if change is None:
        return redirect("event", page.event.slug)
    try:
        messages.success(request, change(request.POST, page, reader))
    except Refused as refusal:
        return _show(request, page, refusal.text())
    if change is _end:  # the address of the event shows the season that follows
        return redirect("event-season", page.event.slug, page.season.number)
    if not may_see(page.event, reader):  # who has left its club and withdraws
        return redirect("events")
    return redirect("event", page.event.slug)


def _show(request: HttpRequest, page: EventPage, refusal: str = "") -> HttpResponse:
    context: dict[str, Any] = {"page": page, "event": page.event, "refusal": refusal, "nav": "events"}
    if page.is_organiser and page.number is None:
        typed = request.POST if refusal else None
        context["organise"] = _organise_forms(page, typed)
        context["request_key"] = typed.get("request_key", "") if typed else token_hex(8)
    context["season"] = page.season
    game = registry.GAMES.get(page.event.game)
    context["title"] = game.rules.meta.title if game else page.event.game
    context["typed"] = request.POST if refusal else {}
    context["longest_report"] = LONGEST_REPORT
    context["enter"] = EnterForm(request.POST if refusal else None)
    return render(request, "events/event.html", context, status=422 if refusal else 200)


def _organise_forms(page: EventPage, typed: Mapping[str, str] | None) -> dict[str, forms.Form]:
    """The forms of an organiser, with what was typed into the one that was refused."""
    asked = typed.get("do", "") if typed else ""
    kinds: dict[str, type[forms.Form]] = {
        "adjudicate": AdjudicateForm,
        "correct": CorrectForm,
        "replace": ReplaceForm,
        "share": ShareForm,
        "close": DecideForm,
    }
    found = {
        name: kind(typed if name == asked else None, prefix=None, auto_id=f"{name}-%s")
        for name, kind in kinds.items()
    }
    for form in found.values():
        _fill(form, page)
    return found


def _fill(form: forms.Form, page: EventPage) -> None:
    """Offer the players and fixtures of the season."""
    if "entry" in form.fields:
        entries = [entry for part in page.divisions for entry in part.standings.entries.values()]
        rows = sorted((name_of(entry), entry.pk) for entry in entries)
        form.fields["entry"].choices = [(pk, name) for name, pk in rows]  # type: ignore[attr-defined]
    if "fixture" in form.fields:
        choices = [(fixture.pk, _name_fixture(fixture)) for fixture in page.fixtures_to_decide]
        form.fields["fixture"].choices = choices  # type: ignore[attr-defined]


def _name_fixture(fixture: Fixture) -> str:
    players = ", ".join(name_of(place.entry) for place in fixture.places.all())
    return f"{colon(fixture.match.code if fixture.match else fixture.number)} {players}"


Change = Callable[[Mapping[str, str], EventPage, User], str]


def _enter(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    entry = enter(page.event.pk, user, words=typed.get("words", ""), now=clock.now())
    if entry.season.state == Season.State.RUNNING:
        return _("You play in this season.")
    return _("You have entered. You get a mail when the season begins.")


def _withdraw(_typed: Mapping[str, str], page: EventPage, user: User) -> str:
    left = withdraw(page.event.pk, user, now=clock.now())
    if isinstance(left, Replacement):
        return _("You do not take over from %(name)s.") % {"name": left.former_name}
    return _("You have withdrawn.")


def _start(_typed: Mapping[str, str], page: EventPage, user: User) -> str:
    start_season(page.season.pk, by=user, now=clock.now())
    return _("The season has begun.")


def _end(_typed: Mapping[str, str], page: EventPage, user: User) -> str:
    close_season(page.season.pk, by=user, now=clock.now())
    return _("The season is over.")


def _close(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    close_event(page.event.pk, by=user, reason=typed.get("reason", ""), now=clock.now())
    return _("The event is closed.")


def _adjudicate(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    form = _valid(AdjudicateForm(typed), page)
    ranks = [int(rank) for rank in form["ranks"].split()]
    adjudicate_fixture(form["fixture"], ranks, by=user, reason=form["reason"], now=clock.now())
    return _("The fixture is decided.")


def _correct(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    form = _valid(CorrectForm(typed), page)
    correct_points(
        form["entry"],
        form["points"],
        by=user,
        reason=form["reason"],
        request_key=typed.get("request_key", "")[:64],
        now=clock.now(),
    )
    return _("The points are corrected.")


def _replace(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    form = _valid(ReplaceForm(typed), page)
    newcomer = require_player(form["newcomer"])
    propose_replacement(form["entry"], newcomer, by=user, reason=form["reason"], now=clock.now())
    return _("%(name)s has been asked; you get a mail with the answer.") % {"name": newcomer.shown_name}


def _take_back(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    take_back_replacement(read_number(typed.get("question", "")) or 0, by=user, now=clock.now())
    return _("The question is taken back.")


def _report(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    report_event(page.event.pk, user, typed.get("why", ""), now=clock.now())
    return _("Your report is with the moderators. You get a mail with their answer.")


def _share(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    newcomer = require_player(_valid(ShareForm(typed), page)["organiser"])
    add_organiser(page.event.pk, newcomer, by=user, now=clock.now())
    return _("%(name)s organises the event too.") % {"name": newcomer.shown_name}


def _unshare(typed: Mapping[str, str], page: EventPage, user: User) -> str:
    former = require_player(typed.get("organiser", ""))
    remove_organiser(page.event.pk, former, by=user, now=clock.now())
    return _("%(name)s organises the event no longer.") % {"name": former.shown_name}


def _valid(form: forms.Form, page: EventPage) -> dict[str, Any]:
    """The values that were typed. Raises Refused(bad-form)."""
    _fill(form, page)
    if not form.is_valid():
        raise Refused("bad-form", "Something is missing or cannot be; it is marked below.")
    return form.cleaned_data


_CHANGES: Mapping[str, Change] = {
    "enter": _enter,
    "withdraw": _withdraw,
    "start": _start,
    "end": _end,
    "close": _close,
    "adjudicate": _adjudicate,
    "correct": _correct,
    "replace": _replace,
    "take-back": _take_back,
    "share": _share,
    "unshare": _unshare,
    "report": _report,
}
