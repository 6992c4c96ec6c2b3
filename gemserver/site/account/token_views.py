"""The page on which players make and revoke personal tokens."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gemserver.accounts.models import PersonalToken, User
from gemserver.accounts.tokens import SCOPES, read_ticket
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import LONGEST_NAME, make_token, revoke_token
from gemserver.matches.refusal import Refused
from gemserver.site.refused_forms import say_marked

USUAL = ("read", "play")


class TokenForm(forms.Form):
    """Name of a token, what it may do, and how long it is good."""

    name = forms.CharField(label=gettext_lazy("Name, such as “bot”"), max_length=LONGEST_NAME)
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("It may"), widget=forms.CheckboxSelectMultiple, initial=USUAL
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        coerce=int,
        initial="90",
        choices=[
            ("30", gettext_lazy("30 days")),
            ("90", gettext_lazy("90 days")),
            ("365", gettext_lazy("a year")),
            ("0", gettext_lazy("until I revoke it")),
        ],
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["scopes"].choices = [(scope, f"{_(about)} ({scope})") for scope, about in SCOPES.items()]  # type: ignore[attr-defined]


def asks_for_account(request: HttpRequest) -> bool:
    """True for a request for a token that may change settings: it needs a fresh sign-in."""
    return request.method == "POST" and "account" in request.POST.getlist("scopes")


@never_cache
@login_required
@reauthentication_required(enabled=asks_for_account)  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """List the player's tokens; POST makes one (shown this once) or revokes one. `account` asks for a fresh sign-in."""
    if request.method != "POST":
        return _show(request, TokenForm())
    if "revoke" in request.POST:
        return _revoke(request)
    return _make(request)


@never_cache
@login_required
@reauthentication_required(enabled=asks_for_account)  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "HEAD", "POST"])
def by_link(request: HttpRequest, ticket: str) -> HttpResponse:
    """Show the page behind the link in a mail to the player who asked for it, within an hour."""
    name = read_ticket(ticket, _signed_in(request))
    if name is None:
        raise Http404
    if request.method == "POST":
        return _make(request)
    return _show(request, TokenForm(initial={"name": name}))


def _make(request: HttpRequest) -> HttpResponse:
    """Make the token and show it; it stands in this answer alone."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _show(request, form, refusal=say_marked())
    given = form.cleaned_data
    try:
        token, text = make_token(
            _signed_in(request), given["name"], given["scopes"], days=given["days"] or None, now=clock.now()
        )
    except Refused as refusal:
        return _show(request, form, refusal=refusal.text())
    return _show(request, TokenForm(), made=text, name=token.name)


def _revoke(request: HttpRequest) -> HttpResponse:
    try:
        token = revoke_token(_signed_in(request), request.POST["revoke"])
    except Refused as refusal:
        messages.error(request, refusal.text())
    else:
        said = _("The token {name} is revoked; programs that have it can do nothing with it.")
        messages.success(request, said.format(name=token.name))
    return redirect("tokens")


def _show(
    request: HttpRequest, form: TokenForm, *, refusal: str = "", made: str = "", name: str = ""
) -> HttpResponse:
    rows = list_tokens(_signed_in(request))
    context = {"form": form, "refusal": refusal, "made": made, "name": name, "tokens": rows, "nav": "profile"}
    return render(request, "profile/tokens.html", context, status=422 if refusal else 200)


def list_tokens(user: User) -> list[tuple[PersonalToken, bool]]:
    """The tokens of an account, each with whether its time is over."""
    return [
        (token, token.expires_at is not None and token.expires_at <= clock.now())
        for token in user.personal_tokens.all()
    ]


def _signed_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
