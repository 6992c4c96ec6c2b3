"""The commands about a player's account and address."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_noop

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.accounts.tokens import write_ticket
from gemserver.archive.naming import set_named
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.mailgate.handlers.time_commands import read_time
from gemserver.matches.actions.people.change_channel import DEVICES, MAIL, tell_by, told_by
from gemserver.matches.actions.people.choose_channels import Channel as Way
from gemserver.matches.actions.people.choose_channels import Topic, choose_channels
from gemserver.matches.actions.people.make_token import revoke_token
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.actions.people.set_language import set_language
from gemserver.matches.actions.seats.renew_address import renew_account_address, renew_address
from gemserver.matches.refusal import Refused
from gemserver.notify.models import Channel


def _address(request: CommandRequest) -> Message:
    if request.seat is None:
        renew_account_address(request.user)
        return Message(
            "Your account has a new address: that of this mail. Mails to the old one change nothing."
        )
    renew_address(request.seat.pk, now=request.now)
    return Message(
        "You have a new address for {code}: that of this mail. Mails to the old one change nothing.",
        {"code": request.seat.match.code},
    )


def _confirm(request: CommandRequest) -> Message:
    """Refuse: an account's owner has confirmed already; `sign_up` takes the codes that count."""
    raise Refused(
        "nothing-to-confirm",
        "There is nothing to confirm with this code: you have your account. Write help to see what you can do.",
    )


def _rename(request: CommandRequest) -> Message:
    rename(request.user, request.argument)
    return Message("The other players know you as {name} now.", {"name": request.argument})


def _language(request: CommandRequest) -> Message:
    set_language(request.user, request.argument)
    return Message(
        "Mails and pages come to you in this language from now on ({language}).",
        {"language": request.argument},
    )


def _archive(request: CommandRequest) -> Message:
    is_named = request.argument == "named"
    set_named(request.user, is_named=is_named)
    if is_named:
        return Message(
            "The open archive of matches names you, {name}, from its next build on.",
            {"name": request.user.username},
        )
    return Message("The open archive of matches shows a number instead of your name from its next build on.")


def _notify(request: CommandRequest) -> Message:
    """Choose how one kind of news comes: in all matches, or with `here` in the match of the mail.

    With `by`, choose the way of whatever comes at once; with nothing, list the ways.
    """
    words = request.argument.split()
    if not words:
        return _list_ways(request.user)
    if words[0] == "by":
        tell_by(request.user, " ".join(words[1:]))
        return Message("Whatever comes at once comes by {way} from now on.", {"way": told_by(request.user)})
    seat = request.require_seat() if words[-1] == "here" else None
    hour = next((read_time(word) for word in words if word[0].isdigit()), None)
    choose_channels(
        request.user,
        seat.match if seat else None,
        {Topic(words[0]): Way(words[1])},
        digest_at=hour,
        now=request.now,
    )
    return Message(_CHANNELS[words[1], seat is not None], {"kind": words[0]})


def _list_ways(user: User) -> Message:
    names = [
        row.name + ("" if row.is_on else " (off)")
        for row in user.channels.exclude(kind=Channel.Kind.WEB_PUSH)
    ]
    devices = [DEVICES] if user.channels.filter(kind=Channel.Kind.WEB_PUSH).exists() else []
    return Message(
        "Whatever comes at once comes by {way}. You can be told by: {ways}. To choose, write for example: notify by "
        "mail. To add more: {url}",
        {
            "way": told_by(user),
            "ways": ", ".join([MAIL, *devices, *names]),
            "url": settings.SITE_URL + reverse("channels"),
        },
    )


_CHANNELS = {
    ("mail", False): gettext_noop("News of this kind ({kind}) comes by mail at once, for all your matches."),
    ("digest", False): gettext_noop(
        "News of this kind ({kind}) comes in your daily mail, for all your matches."
    ),
    ("web", False): gettext_noop(
        "News of this kind ({kind}) is shown only on the web, for all your matches."
    ),
    ("mail", True): gettext_noop("News of this kind ({kind}) comes by mail at once, for this match."),
    ("digest", True): gettext_noop("News of this kind ({kind}) comes in your daily mail, for this match."),
    ("web", True): gettext_noop("News of this kind ({kind}) is shown only on the web, for this match."),
}


def _tokens(request: CommandRequest) -> Message:
    """List the tokens, by name; what they are is kept nowhere."""
    listed = [f"{token.name} ({token.scopes})" for token in request.user.personal_tokens.all()]
    if not listed:
        return Message("You have no personal tokens. To make one, write: token new NAME")
    return Message(
        "Your personal tokens: {tokens}. To end one, write: token revoke NAME", {"tokens": ", ".join(listed)}
    )


def _token(request: CommandRequest) -> Message:
    """End a token, or answer with a link to the page that makes one: no mail holds a token."""
    verb, _blank, name = request.argument.partition(" ")
    if verb.lower() == "revoke":
        token = revoke_token(request.user, name)
        return Message(
            "The token {name} is revoked; programs that have it can do nothing with it.", {"name": token.name}
        )
    page = reverse("token-link", args=[write_ticket(request.user, name)])
    return Message(
        "A token is shown once, on the web, where you sign in with a code that comes by mail. Within an hour: {url}",
        {"url": settings.SITE_URL + page},
    )


ACCOUNT_COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {
        "address": _address,
        "confirm": _confirm,
        "rename": _rename,
        "language": _language,
        "archive": _archive,
        "notify": _notify,
        "tokens": _tokens,
        "token": _token,
    }
)
