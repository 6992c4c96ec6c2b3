"""Answers a request that fails with an RFC 9457 problem: refusals of the actions, and those of the API itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from games.contract import GameError
from gemserver.lib.web import problems
from gemserver.matches.broken_games import GameFailed, stop_broken
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.refusal import Refused

_NOT_FOUND = frozenset(
    {"no-such-match", "no-such-player", "no-such-game", "no-such-table", "no-such-club"}
    | {"no-such-tutorial", "no-such-tutorial-step", "no-such-what-if", "no-such-puzzle"}
    | {"no-such-event", "no-such-season", "no-such-entry", "no-such-fixture", "no-such-member"}
)
_FORBIDDEN = frozenset(
    {"not-seated", "not-for-sitters", "not-host", "not-invited", "not-welcome", "not-yours"}
    | {"not-a-member", "not-an-organiser", "not-an-owner", "people-only", "not-member"}
    | {"not-organiser", "not-club-organiser", "plays-here", "decides-for-self"}
)


class Problem(Exception):
    """A request that is answered with a problem; `sentence` is in the asker's language."""

    def __init__(
        self,
        status: int,
        code: str,
        sentence: str,
        headers: Mapping[str, str] | None = None,
        **more: object,
    ) -> None:
        self.status = status
        self.code = code
        self.sentence = sentence
        self.headers = headers
        self.more = more
        super().__init__(status, code)

    def answer(self) -> HttpResponse:
        return problems.problem(self.status, self.code, self.sentence, self.headers, **self.more)


def status_of(refusal: Refused) -> int:
    """The HTTP status of a refusal: 422 for a text that is no legal move, 409 for what does not fit as things stand."""
    if isinstance(refusal, GameFailed) or refusal.code == "game-failed":
        return 503
    if refusal.kind != "refused":
        return 422
    if refusal.code in _NOT_FOUND:
        return 404
    return 403 if refusal.code in _FORBIDDEN else 409


def answer_refusal(refusal: Refused) -> HttpResponse:
    """The refusal as a problem, with its own code and sentence."""
    status = status_of(refusal)
    headers = {"Retry-After": problems.MENDED_IN} if status == 503 else None
    return problems.problem(status, refusal.code, refusal.text(), headers, kind=refusal.kind)


def no_such_address() -> Problem:
    return Problem(404, "no-such-address", _("There is nothing at this address; /api/ lists what there is."))


def handle_problems(api: NinjaAPI) -> None:
    """Let this API answer every exception that is not a mistake of ours with a problem."""
    api.add_exception_handler(Problem, _answer_problem)
    api.add_exception_handler(Refused, _answer_refused)
    api.add_exception_handler(GameError, _answer_illegal)
    api.add_exception_handler(BrokenGame, _answer_broken)
    api.add_exception_handler(ValidationError, _answer_misfit)
    api.add_exception_handler(HttpError, _answer_unparsed)


def _answer_problem(request: HttpRequest, found: Any) -> HttpResponse:
    answer: HttpResponse = found.answer()
    return answer


def _answer_refused(request: HttpRequest, refusal: Any) -> HttpResponse:
    return answer_refusal(refusal)


def _answer_illegal(request: HttpRequest, error: Any) -> HttpResponse:
    return answer_refusal(Refused.by_game(error))


def _answer_broken(request: HttpRequest, error: Any) -> HttpResponse:
    return problems.game_failed(stands_still=stop_broken(error))


def _answer_misfit(request: HttpRequest, error: Any) -> HttpResponse:
    errors = [
        {"in": str(each["loc"][0]), "name": ".".join(map(str, each["loc"][1:])), "message": each["msg"]}
        for each in error.errors
    ]
    sentence = _("The request does not fit the document at /api/v1/openapi.json; “errors” says where.")
    return problems.problem(422, "misfit", sentence, errors=errors)


def _answer_unparsed(request: HttpRequest, error: Any) -> HttpResponse:
    """ninja's own complaints: of them only a body that is no JSON can occur."""
    if isinstance(error.__cause__, Problem):
        return error.__cause__.answer()
    return problems.problem(
        error.status_code, "no-json", _("The body is not JSON in UTF-8; send one JSON object.")
    )
