"""The pages on which players make bots, give them tokens, and end them."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games import registry
from gemserver.accounts.models import User
from gemserver.accounts.names import LONGEST, unmarked
from gemserver.inbox import erasure
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import make_token, revoke_token
from gemserver.matches.actions.people.open_bot import (
    MOST_BOTS,
    find_bot,
    offer_practice,
    open_bot,
    require_endable,
)
from gemserver.matches.bot_accounts import offered_games
from gemserver.matches.refusal import Refused
from gemserver.site.account.export_download import send_export
from gemserver.site.account.token_views import TokenForm, asks_for_account, list_tokens
from gemserver.site.refused_forms import say_marked


class BotForm(forms.Form):
    """The name of a new bot."""

    name = forms.CharField(label=gettext_lazy("Its name"), max_length=LONGEST)


class PracticeForm(forms.Form):
    """The games at which a bot is offered for practice."""

    games = forms.MultipleChoiceField(
        label=gettext_lazy("Offer this bot to players who want to practise"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(slug, game.rules.meta.title) for slug, game in registry.GAMES.items()]
        self.fields["games"].choices = choices  # type: ignore[attr-defined]


class EndForm(forms.Form):
    """Asks for the bot's name, so that nobody ends one by a slip."""

    confirm = forms.CharField(label=gettext_lazy("The bot's name, to confirm"), max_length=LONGEST + 6)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def bots(request: HttpRequest) -> HttpResponse:
    """List the player's bots; POST makes one."""
    owner, refusal = _signed_in(request), ""
    form = BotForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        try:
            if form.is_valid():
                made = open_bot(owner, form.cleaned_data["name"], now=clock.now())
                return redirect("bot", made.username)
            refusal = say_marked()
        except Refused as refused:
            refusal = refused.text()
    rows = owner.bots.order_by("username")
    context = {"form": form, "refusal": refusal, "bots": rows, "most": MOST_BOTS, "nav": "profile"}
    return render(request, "profile/bots.html", context, status=422 if refusal else 200)


@never_cache
@login_required
@reauthentication_required(enabled=asks_for_account)  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "HEAD", "POST"])
def bot(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show one of the player's bots; POST makes or revokes a token, sets its practice, exports or ends it."""
    try:
        found = find_bot(_signed_in(request), name)
    except Refused as refusal:
        raise Http404 from refusal
    if request.method != "POST":
        return _show(request, found)
    try:
        if "revoke" in request.POST:
            return _revoke(request, found)
        match request.POST.get("do"):
            case "practice":
                return _practise(request, found)
            case "export":
                return send_export(request, found, "gem-server-bot.zip")
            case "end":
                return _end(request, found)
            case _:
                return _make_token(request, found)
    except Refused as refusal:
        return _show(request, found, refusal=refusal.text())


def _make_token(request: HttpRequest, found: User) -> HttpResponse:
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _show(request, found, form=form, refusal=say_marked())
    given = form.cleaned_data
    token, text = make_token(
        found, given["name"], given["scopes"], days=given["days"] or None, now=clock.now()
    )
    return _show(request, found, made=text, name=token.name)


def _revoke(request: HttpRequest, found: User) -> HttpResponse:
    token = revoke_token(found, request.POST["revoke"])
    said = _("The token {name} is revoked; programs that have it can do nothing with it.")
    messages.success(request, said.format(name=token.name))
    return redirect("bot", found.username)


def _practise(request: HttpRequest, found: User) -> HttpResponse:
    offer_practice(found, request.POST.getlist("games"), now=clock.now())
    messages.success(request, _("Saved."))
    return redirect("bot", found.username)


def _end(request: HttpRequest, found: User) -> HttpResponse:
    if unmarked(request.POST.get("confirm", "")).casefold() != found.username.casefold():
        refusal = _("This is not the bot's name; write it as it stands at the top of the page.")
        return _show(request, found, refusal=refusal)
    require_endable(found)
    erasure.erase(found, now=clock.now())
    messages.success(request, _("The bot has come to its end."))
    return redirect("bots")


def _show(
    request: HttpRequest,
    found: User,
    *,
    form: TokenForm | None = None,
    refusal: str = "",
    made: str = "",
    name: str = "",
) -> HttpResponse:
    context = {
        "bot": found,
        "form": form or TokenForm(),
        "practice": PracticeForm(initial={"games": offered_games(found)}),
        "ending": EndForm(),
        "refusal": refusal,
        "made": made,
        "name": name,
        "tokens": list_tokens(found),
        "nav": "profile",
    }
    return render(request, "profile/bot.html", context, status=422 if refusal else 200)


def _signed_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
