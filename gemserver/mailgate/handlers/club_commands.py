"""The commands about clubs: `club NAME` and what stands behind it, `join club NAME`, `leave club NAME`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from django.utils.translation import gettext_noop

from games.contract import Message
from gemserver.clubs.models import Club, Member
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.actions.clubs.join_club import invite_member, join_club, take_back_request, turn_down
from gemserver.matches.actions.clubs.leave_club import leave_club, remove_member, set_role
from gemserver.matches.actions.clubs.post_news import post_news
from gemserver.matches.actions.clubs.post_to_list import set_list_mode
from gemserver.matches.actions.clubs.report_club import report_club
from gemserver.matches.clubs.clubs import find_club, require_member_of
from gemserver.matches.refusal import Refused

Act: TypeAlias = Callable[[CommandRequest, Club, str], Message]
"""Carries out one word about a club with what stands behind the word."""


def _club(request: CommandRequest) -> Message:
    """Carry out `club NAME WORD …`; without a word the club is only shown."""
    slug, _, rest = request.argument.partition(" ")
    word, _, argument = rest.partition(" ")
    return act_on_club(request, slug, word.lower(), argument.strip())


def act_on_club(request: CommandRequest, slug: str, word: str, argument: str = "") -> Message:
    """Carry out one word about the club; the answer has its short name among the parameters."""
    club = find_club(slug, request.user)
    return _ACTS[word](request, club, argument)


def _show(request: CommandRequest, club: Club, argument: str) -> Message:
    return Message("This is the club {name}.", _names(club))


def _join(request: CommandRequest, club: Club, argument: str) -> Message:
    joined = join_club(club.pk, request.user, now=request.now)
    if isinstance(joined, Member):
        return Message("You belong to the club {name}.", _names(club))
    return Message("You have asked to join {name}; an organiser will answer you.", _names(club))


def _leave(request: CommandRequest, club: Club, argument: str) -> Message:
    """Leave, or decline to join; a name behind the word is the owner's heir."""
    try:
        require_member_of(club, request.user)
    except Refused:
        take_back_request(club.pk, request.user)
        return Message("You do not join {name}.", _names(club))
    leave_club(club.pk, request.user, heir=argument, now=request.now)
    return Message("You have left the club {name}.", _names(club))


def _invite(request: CommandRequest, club: Club, argument: str) -> Message:
    asked = invite_member(club.pk, request.user, argument, now=request.now)
    names = {**_names(club), "player": asked.user.username}
    if isinstance(asked, Member):
        return Message("{player} belongs to the club {name}.", names)
    return Message("{player} is invited to {name}.", names)


def _refuse(request: CommandRequest, club: Club, argument: str) -> Message:
    turn_down(club.pk, request.user, argument)
    return Message("{player} is not let into {name}.", {**_names(club), "player": argument})


def _remove(request: CommandRequest, club: Club, argument: str) -> Message:
    remove_member(club.pk, request.user, argument, now=request.now)
    return Message("{player} does not belong to {name} any more.", {**_names(club), "player": argument})


def _promote(role: Member.Role) -> Act:
    def act(request: CommandRequest, club: Club, argument: str) -> Message:
        member = set_role(club.pk, request.user, argument, role)
        names = {**_names(club), "player": member.user.username}
        return Message("{player} has another role in {name}; it stands below.", names)

    return act


def _news(request: CommandRequest, club: Club, argument: str) -> Message:
    post_news(club.pk, request.user, argument, now=request.now)
    return Message("Your news is posted to {name}.", _names(club))


def _report(request: CommandRequest, club: Club, argument: str) -> Message:
    report_club(club.pk, request.user, argument, now=request.now)
    return Message(
        "Your report about {name} is with the moderators; you get a mail with their answer.", _names(club)
    )


def _mail(request: CommandRequest, club: Club, argument: str) -> Message:
    mode = Member.ListMode(argument.lower())
    set_list_mode(club.pk, request.user, mode)
    return Message(_MODES[mode], _names(club))


_MODES = {
    Member.ListMode.EACH: gettext_noop("Each mail of {name} comes to you at once."),
    Member.ListMode.DIGEST: gettext_noop("What is written to {name} comes to you in one mail a day."),
    Member.ListMode.OFF: gettext_noop("No mail of {name} comes to you."),
}


def _names(club: Club) -> dict[str, str]:
    return {"name": club.name, "club": club.slug}


_ACTS: Mapping[str, Act] = MappingProxyType(
    {
        "": _show,
        "join": _join,
        "leave": _leave,
        "invite": _invite,
        "accept": _invite,
        "refuse": _refuse,
        "remove": _remove,
        "owner": _promote(Member.Role.OWNER),
        "organiser": _promote(Member.Role.ORGANISER),
        "member": _promote(Member.Role.MEMBER),
        "news": _news,
        "report": _report,
        "mail": _mail,
    }
)

CLUB_COMMANDS: Mapping[str, Handler] = MappingProxyType({"club": _club})
"""Every answer has the club's short name as `club` among its parameters."""
