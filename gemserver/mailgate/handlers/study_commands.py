"""Questions to a bot by mail: a hint for the move that waits, a review of a match that is over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.conf import settings
from django.urls import reverse

from games.contract import Message
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.readers import find_match
from gemserver.notify.channels import in_use
from gemserver.study.hints import ask_hint
from gemserver.study.reviews import ask_review


def _hint(request: CommandRequest) -> Message:
    ask_hint(request.require_seat().match, request.user, is_by_mail=True, now=request.now)
    return Message("A bot thinks about your move; its hint comes in a mail of its own.")


def _review(request: CommandRequest) -> Message:
    """Review the match that is named, else the one that the mail is about."""
    if request.argument:
        match, _ = find_match(request.argument.upper(), request.user)
    else:
        match = request.require_seat().match
    found = ask_review(match, request.user, is_by_mail=True, now=request.now)
    where = settings.SITE_URL + reverse("match-review", args=[match.code])
    if found.is_done:
        return Message("The review of {code} is done; it is at {url}", {"code": match.code, "url": where})
    if in_use(request.user).exists():
        return Message(
            "A bot goes through {code}; you will be told when its review is done.", {"code": match.code}
        )
    return Message("A bot goes through {code}; its review comes in a mail of its own.", {"code": match.code})


STUDY_COMMANDS: Mapping[str, Handler] = MappingProxyType({"hint": _hint, "review": _review})
