"""Moderators' actions on one seat of a running match."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_player
from gemserver.accounts.roles import Role
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.actions.time.extend_clock import extend_clock
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused
from gemserver.moderation.actions.action import Action, ActionForm, ActionRequest, Changed, Choices
from gemserver.moderation.actions.targets import Target


def _has_player(seat: Seat) -> bool:
    return seat.match.is_running and not seat.bot


class ExtendForm(ActionForm):
    hours = forms.IntegerField(label=_("Hours"), min_value=1, max_value=24 * 60, initial=24)


def _extend(asked: ActionRequest, seat: Seat, choices: Choices) -> Changed:
    before = seat.due_at
    extended = extend_clock(seat.match_id, seat.index, choices["hours"], asked.reason, now=asked.now)
    return {"hours": choices["hours"], "due before": _iso(before), "due after": _iso(extended.due_at)}


class ReplaceForm(ActionForm):
    player = forms.CharField(
        label=_("New player"), max_length=150, help_text=_("The name as it stands on the player's page.")
    )

    def clean_player(self) -> User:
        """Find the player of this name; raises ValidationError if there is none who may play."""
        player = find_player(self.cleaned_data["player"])
        if player is None:
            raise forms.ValidationError(
                _("There is no player of this name; look it up in the list of players.")
            )
        return player


def _replace(asked: ActionRequest, seat: Seat, choices: Choices) -> Changed:
    player = choices["player"]
    if player.family == asked.moderator.family:
        raise Refused(
            "decides-for-self", "You cannot put yourself in; let another organiser or a moderator do it."
        )
    reassign_seat(seat.match_id, seat.index, player, asked.reason, now=asked.now)
    return {"new player": player.username}


def _open(asked: ActionRequest, seat: Seat, choices: Choices) -> Changed:
    reassign_seat(seat.match_id, seat.index, None, asked.reason, now=asked.now, is_open=True)
    return {}


def _to_bot(asked: ActionRequest, seat: Seat, choices: Choices) -> Changed:
    reassign_seat(seat.match_id, seat.index, None, asked.reason, now=asked.now)
    return {}


def _iso(at: object) -> str:
    return str(at) if at else ""


EXTEND = Action(
    "extend", _("Give more time"), Target.SEAT, Role.HELPER, _extend, ExtendForm, applies=_has_player
)
REPLACE = Action(
    "replace",
    _("Give the seat to another player"),
    Target.SEAT,
    Role.MODERATOR,
    _replace,
    ReplaceForm,
    warning=_("The new player sees what the seat sees now, hidden things included."),
    applies=lambda seat: seat.match.is_running,
)
OPEN = Action(
    "open-seat",
    _("Open the seat for a substitute"),
    Target.SEAT,
    Role.MODERATOR,
    _open,
    warning=_("The player loses the seat; a bot plays on until somebody takes it."),
    applies=lambda seat: seat.match.is_running and not seat.is_open,
)
TO_BOT = Action(
    "to-bot",
    _("Give the seat to a bot"),
    Target.SEAT,
    Role.MODERATOR,
    _to_bot,
    warning=_("The player loses the seat for good."),
    applies=lambda seat: seat.match.is_running and (not seat.bot or seat.is_open),
)
