"""Tells open pages, which ask for it, their own progress as one word and the matches that wait for their reader.

`static/js/news.js` asks; each page names its address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from gemserver.accounts.guests import player_of, signed_in_user
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.web.waits import Wait, may_wait
from gemserver.matches.models import Match
from gemserver.matches.own_matches import Turn, find_turns
from gemserver.site.lists import lists_page
from gemserver.site.lists.home_page import HomePage
from gemserver.site.lists.player_page import find_player_page

LISTS: dict[str, Callable[[HttpRequest, User | None], str]] = {
    "home": lambda request, reader: HomePage(reader).progress,
    "tables": lambda request, reader: lists_page.open_tables(request.GET, _page(request), reader).progress,
    "substitutes": lambda request, reader: (
        lists_page.substitutes_wanted(request.GET, _page(request), reader).progress
    ),
    "matches": lambda request, reader: lists_page.matches(request.GET, _page(request), reader).progress,
    "player": lambda request, reader: (
        find_player_page(request.GET.get("name", ""), request.GET, reader).progress
    ),
}
"""The progress of each list that refreshes itself, by its name in the query string."""


@never_cache
@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """The news of a page: of the list `list`, if it is one, with the same filters and the same page of it."""
    reader = signed_in_user(request)
    progress = LISTS.get(request.GET.get("list", ""))
    return answer_news(request, progress(request, reader) if progress else "")


def _page(request: HttpRequest) -> str:
    return request.GET.get("page", "")


def answer_news(request: HttpRequest, word: str, match: Match | None = None) -> HttpResponse:
    """Answer with the word for the page's progress, and with the codes of the matches that wait for the reader.

    `turns` is null for a stranger: whoever was shown as a player has been signed out since. A page that knows the
    answer gets a 304, or may wait for another one if it is about a match.
    """
    turns = _read_turns(request)
    if match:
        player = player_of(request)
        user = player.pk if isinstance(player, User) else None
        asker = f"user {user}" if user else None
        may_wait(request, Wait(asker, user, frozenset(turns.found if turns else ()), match.pk, match.ply))
    response = JsonResponse({"page": word, "turns": turns.codes if turns else None})
    response.headers["ETag"] = etag = f'"{sha256(response.content).hexdigest()[:32]}"'
    return get_conditional_response(request, etag=etag, response=response) or response


@dataclass(frozen=True, slots=True)
class Turns:
    """The matches that wait for a player, most urgent first, as seen from the page of the match `here`."""

    found: Sequence[Turn]
    here: str

    @property
    def codes(self) -> list[str]:
        return [turn.code for turn in self.found]

    @property
    def number(self) -> int:
        return len(self.codes)

    @property
    def next(self) -> str:
        """The code of the match after this one; empty if no other match waits."""
        place = self.codes.index(self.here) + 1 if self.here in self.codes else 0
        others = [code for code in [*self.codes[place:], *self.codes[:place]] if code != self.here]
        return others[0] if others else ""


def reader_turns(request: HttpRequest) -> dict[str, Any]:
    """Template context of every page: `turns`, read where a page shows it; None for a stranger."""
    return {"turns": cache(lambda: _read_turns(request))}


def _read_turns(request: HttpRequest) -> Turns | None:
    if not hasattr(request, "user"):  # refused before anybody looked who is there
        return None
    player = player_of(request)
    if not isinstance(player, User):
        return None
    found = request.resolver_match
    return Turns(find_turns(player, clock.now()), str(found.kwargs.get("code", "")) if found else "")
